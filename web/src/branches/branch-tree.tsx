import { branchTree, type BranchNode, type BranchView } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { useView } from '../app/conversation.tsx'
import { navigate } from '../app/route.ts'
import { hueOf } from '../ui/format.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { RunMark } from '../ui/run-mark.tsx'
import { nameOf, pathOf } from './tree-words.ts'

interface Row {
  readonly branch: BranchView
  readonly run: RunRow | null
  readonly level: number
  readonly hasChildren: boolean
  readonly open: boolean
}

/** Deeper ones stand no further to the right. */
const MAX_INDENT = 6

/** The branches of the conversation as a tree: arrow keys move and fold, Enter opens. */
export function BranchTree({ currentId }: { currentId: string }) {
  const branches = useView((state) => state.branches)
  const runs = useView((state) => state.runs)
  const latestRuns = useView((state) => state.latestRuns)
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [focused, setFocused] = useState<string>()
  const tree = useRef<HTMLDivElement>(null)
  const rows = useMemo(
    () => rowsOf(branchTree({ branches, runs, latestRuns }), closed),
    [branches, runs, latestRuns, closed],
  )
  const tabbable = rows.find(({ branch }) => branch.id === (focused ?? currentId)) ?? rows[0]
  const focus = (row: Row | undefined) => {
    if (!row) return
    setFocused(row.branch.id)
    tree.current?.querySelector<HTMLElement>(`[data-branch="${row.branch.id}"]`)?.focus()
  }
  const fold = (row: Row, open: boolean) => {
    const next = new Set(closed)
    if (open) next.delete(row.branch.id)
    else next.add(row.branch.id)
    setClosed(next)
  }
  const onKey = (event: KeyboardEvent, row: Row) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return
    const at = rows.indexOf(row)
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focus(rows[at + 1]),
      ArrowUp: () => focus(rows[at - 1]),
      Home: () => focus(rows[0]),
      End: () => focus(rows.at(-1)),
      ArrowRight: () => (row.open || !row.hasChildren ? focus(rows[at + 1]) : fold(row, true)),
      ArrowLeft: () => (row.open && row.hasChildren ? fold(row, false) : focus(parentRow(rows, row))),
      Enter: () => open(row.branch),
      ' ': () => open(row.branch),
    }
    const move = moves[event.key]
    if (!move) return
    event.preventDefault()
    event.stopPropagation()
    move()
  }
  return (
    <div ref={tree} role="tree" aria-label="Branches" className="flex flex-col px-1.5 py-1">
      {rows.map((row) => (
        <div
          key={row.branch.id}
          role="treeitem"
          data-branch={row.branch.id}
          data-opener={`tree-${row.branch.id}`}
          aria-level={row.level}
          aria-selected={row.branch.id === currentId}
          aria-expanded={row.hasChildren ? row.open : undefined}
          tabIndex={row === tabbable ? 0 : -1}
          onKeyDown={(event) => onKey(event, row)}
          onClick={() => open(row.branch)}
          onFocus={() => setFocused(row.branch.id)}
          style={{ paddingLeft: `${Math.min(row.level - 1, MAX_INDENT) * 14 + 6}px` }}
          className={`touch:min-h-11 flex min-h-7 cursor-default items-center gap-1.5 rounded-md pr-2 text-sm hover:bg-hover ${hueOf(row.branch.agent)} ${row.branch.id === currentId ? 'bg-pressed font-medium' : ''}`}
        >
          <TreeRow row={row} onFold={() => fold(row, !row.open)} />
        </div>
      ))}
    </div>
  )
}

const KINDS: Readonly<Record<string, IconName>> = { main: 'main', fork: 'fork', subagent: 'subagent' }

function TreeRow({ row: { branch, run, hasChildren, open }, onFold }: { row: Row; onFold: () => void }) {
  return (
    <>
      <span
        aria-hidden="true"
        className="flex size-4 shrink-0 items-center justify-center text-ink-3"
        onClick={(event) => {
          event.stopPropagation()
          onFold()
        }}
      >
        {hasChildren && <Icon name={open ? 'down' : 'right'} size={12} />}
      </span>
      <Icon
        name={KINDS[branch.kind] ?? 'fork'}
        size={13}
        className={branch.kind === 'subagent' ? 'text-hue' : 'text-ink-3'}
      />
      <span className="sr-only">{`${branch.kind}: `}</span>
      <span className="min-w-0 flex-1 truncate">{nameOf(branch)}</span>
      {run && <RunMark run={run} size={13} />}
    </>
  )
}

function open(branch: BranchView): void {
  navigate(pathOf(branch))
}

/** Depth first, oldest first, without what stands below a closed one. */
function rowsOf(nodes: readonly BranchNode[], closed: ReadonlySet<string>): readonly Row[] {
  return nodes.flatMap(({ branch, run, depth, children }) => {
    const open = !closed.has(branch.id)
    const row = { branch, run, level: depth + 1, hasChildren: children.length > 0, open }
    return open ? [row, ...rowsOf(children, closed)] : [row]
  })
}

function parentRow(rows: readonly Row[], row: Row): Row | undefined {
  return rows.find(({ branch }) => branch.id === row.branch.parentBranchId)
}
