import { authorOfMessage, authorWords, branchTree, type BranchView } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { useConversationView, useView } from '../state/conversation.tsx'
import { closeSheet, showPanel } from '../state/panels.ts'
import { usePref } from '../state/prefs.ts'
import { branchPath, navigate } from '../state/route.ts'
import { useStatus } from '../state/use-status.ts'
import { useVerbs } from '../state/verbs.ts'
import { hueOf } from '../ui/format.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { ContextMenu, type MenuChoice } from '../ui/menu.tsx'
import { RunMark } from '../ui/run-mark.tsx'
import { showError } from '../ui/toasts.tsx'
import { rowsOf, treeFilters, type Row, type TreeFilter } from './tree-rows.ts'
import { nameOf, pathOf } from '../state/branch-lookup.ts'
import { useUnread } from './unread-branches.ts'

/** Deeper rows are not indented further. */
const MAX_INDENT = 6

/** The branches of the conversation as a tree: arrow keys move and fold, Enter opens. */
export function BranchTree({ currentId }: { currentId: string }) {
  const [filter, setFilter] = usePref('treeFilter')
  return (
    <>
      <FilterChoice filter={filter} onChange={setFilter} />
      <Tree currentId={currentId} filter={treeFilters.find((each) => each === filter) ?? 'branches'} />
    </>
  )
}

const FILTERS: Readonly<Record<TreeFilter, string>> = {
  branches: 'Branches',
  yours: 'Branches and your messages',
  said: 'Branches and messages without tools',
  all: 'Branches and all messages',
}

function FilterChoice({ filter, onChange }: { filter: TreeFilter; onChange: (filter: TreeFilter) => void }) {
  return (
    <select
      aria-label="What the tree shows"
      value={filter}
      onChange={(event) => onChange(treeFilters.find((each) => each === event.target.value) ?? 'branches')}
      className="touch:min-h-11 mx-2 h-7 w-[calc(100%-1rem)] rounded-md bg-transparent px-1 text-xs text-ink-2 hover:bg-hover"
    >
      {treeFilters.map((each) => (
        <option key={each} value={each} className="bg-raised text-ink">
          {FILTERS[each]}
        </option>
      ))}
    </select>
  )
}

function Tree({ currentId, filter }: { currentId: string; filter: TreeFilter }) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [focused, setFocused] = useState<string>()
  const [menu, setMenu] = useState<Row>()
  const tree = useRef<HTMLDivElement>(null)
  const anchor = useRef<HTMLElement>(null)
  const rows = useRows(closed, filter)
  const isUnread = useUnread()
  const tabbable = rows.find(({ id }) => id === (focused ?? currentId)) ?? rows[0]
  const focus = (row: Row | undefined) => {
    if (!row) return
    setFocused(row.id)
    tree.current?.querySelector<HTMLElement>(`[data-row="${row.id}"]`)?.focus()
  }
  const fold = (row: Row, open: boolean) => {
    const next = new Set(closed)
    if (open) next.delete(row.id)
    else next.add(row.id)
    setClosed(next)
  }
  const onKey = (event: KeyboardEvent, row: Row) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return
    const move = movesOf(row, { rows, focus, fold })[event.key]
    if (!move) return
    event.preventDefault()
    event.stopPropagation()
    move()
  }
  return (
    <div ref={tree} role="tree" aria-label="Branches" className="flex flex-col px-1.5 py-1">
      {rows.map((row) => (
        <div
          key={row.id}
          role="treeitem"
          data-row={row.id}
          data-opener={`tree-${row.id}`}
          aria-level={row.level}
          aria-selected={row.id === currentId}
          aria-expanded={row.hasChildren ? row.open : undefined}
          tabIndex={row === tabbable ? 0 : -1}
          onKeyDown={(event) => onKey(event, row)}
          onClick={() => open(row)}
          onContextMenu={(event) => {
            event.preventDefault()
            anchor.current = event.currentTarget
            setMenu(row)
          }}
          onFocus={() => setFocused(row.id)}
          style={{ paddingLeft: `${Math.min(row.level - 1, MAX_INDENT) * 14 + 6}px` }}
          className={`touch:min-h-11 flex min-h-7 cursor-default items-center gap-1.5 rounded-md pr-2 text-sm hover:bg-hover ${hueOf(row.branch.agent)} ${row.id === currentId ? 'bg-pressed font-medium' : ''}`}
        >
          {row.message ? (
            <MessageRow row={row} />
          ) : (
            <TreeRow
              row={row}
              unread={row.id !== currentId && isUnread(row.branch, row.run)}
              onFold={() => fold(row, !row.open)}
            />
          )}
        </div>
      ))}
      {menu && <RowMenu row={menu} anchor={anchor} onClose={() => setMenu(undefined)} />}
    </div>
  )
}

interface Moves {
  readonly rows: readonly Row[]
  readonly focus: (row: Row | undefined) => void
  readonly fold: (row: Row, open: boolean) => void
}

/** The action of each key on a row. */
function movesOf(row: Row, { rows, focus, fold }: Moves): Readonly<Record<string, () => void>> {
  const at = rows.indexOf(row)
  return {
    ArrowDown: () => focus(rows[at + 1]),
    ArrowUp: () => focus(rows[at - 1]),
    Home: () => focus(rows[0]),
    End: () => focus(rows.at(-1)),
    ArrowRight: () => (row.open || !row.hasChildren ? focus(rows[at + 1]) : fold(row, true)),
    ArrowLeft: () => (row.open && row.hasChildren ? fold(row, false) : focus(parentRow(rows, row))),
    Enter: () => open(row),
    ' ': () => open(row),
  }
}

/** With messages shown, loads those of each open branch. */
function useRows(closed: ReadonlySet<string>, filter: TreeFilter): readonly Row[] {
  const view = useConversationView()
  const branches = useView((state) => state.branches)
  const runs = useView((state) => state.runs)
  const latestRuns = useView((state) => state.latestRuns)
  const rows = useMemo(
    () => rowsOf(branchTree({ branches, runs, latestRuns }), closed, filter),
    [branches, runs, latestRuns, closed, filter],
  )
  const missing = filter !== 'branches' && rows.find(({ open, branch }) => open && branch.messages === null)
  const missingId = missing ? missing.branch.id : undefined
  useEffect(() => {
    if (missingId) view.loadBranch(missingId).catch(showError)
  }, [view, missingId])
  return rows
}

const KINDS: Readonly<Record<string, IconName>> = { main: 'main', fork: 'fork' }

interface TreeRowProps {
  readonly row: Row
  /** A run has stopped here since the last visit. */
  readonly unread: boolean
  readonly onFold: () => void
}

function TreeRow({ row: { branch, run, hasChildren, open }, unread, onFold }: TreeRowProps) {
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
      {branch.kind === 'subagent' ? (
        <AgentMark name={branch.agent} className="min-w-[13px] text-xs" />
      ) : (
        <Icon name={KINDS[branch.kind] ?? 'fork'} size={13} className="text-ink-3" />
      )}
      <span className="sr-only">{`${branch.kind}: `}</span>
      <span className={`min-w-0 flex-1 truncate ${unread ? 'font-semibold' : ''}`}>{nameOf(branch)}</span>
      {unread && (
        <span className="size-2 shrink-0 rounded-full bg-accent" title="Unread">
          <span className="sr-only">Unread</span>
        </span>
      )}
      {run && <TreeMark run={run} />}
    </>
  )
}

function TreeMark({ run }: { run: RunRow }) {
  return <RunMark run={run} size={13} word={useStatus(run).state} />
}

function MessageRow({ row: { message, text } }: { row: Row }) {
  return (
    <>
      <span className="size-4 shrink-0" />
      <span className="shrink-0 text-2xs text-ink-3">{speakerOf(message)}</span>
      <span className="min-w-0 flex-1 truncate text-xs text-ink-2">{text}</span>
    </>
  )
}

/** Input of an agent may also come from the runtime or another agent. */
function speakerOf(message: Row['message']): string {
  if (message?.role !== 'user') return 'Agent'
  const author = authorOfMessage(message)
  if (author === undefined) return message.parts.some(({ type }) => type === 'report') ? 'Report' : 'Runtime'
  return author === 'person' ? 'You' : authorWords(author)
}

interface RowMenuProps {
  readonly row: Row
  readonly anchor: React.RefObject<HTMLElement | null>
  readonly onClose: () => void
}

function RowMenu({ row, anchor, onClose }: RowMenuProps) {
  const verbs = useVerbs()
  const { branch, run } = row
  const last = row.message ?? branch.messages?.at(-1)
  const fork = (messageId: string) =>
    verbs
      .fork(messageId)
      .then(({ branchId }) => navigate(branchPath(branch.conversationId, branchId)))
      .catch(showError)
  const choices: MenuChoice[] = [
    { id: 'view', label: 'View', icon: 'eye', onAction: () => open(row) },
    { id: 'link', label: 'Copy link', icon: 'link', onAction: () => verbs.copyLink(pathOfRow(row)) },
  ]
  if (run)
    choices.push({ id: 'steps', label: 'Steps', icon: 'list', onAction: () => showPanel('steps', run.id) })
  if (last)
    choices.push({
      id: 'fork',
      label: row.message ? 'Fork from here' : 'Fork from its end',
      icon: 'fork',
      onAction: () => void fork(last.id),
    })
  return <ContextMenu label={nameOf(branch)} anchor={anchor} choices={choices} onClose={onClose} />
}

function pathOfRow({ branch, message }: Row): string {
  if (!message) return pathOf(branch)
  return branchPath(branch.conversationId, branch.kind === 'main' ? null : branch.id, message.id)
}

function open(row: Row): void {
  closeSheet()
  navigate(pathOfRow(row))
}

function parentRow(rows: readonly Row[], { branch, message }: Row): Row | undefined {
  const parent: BranchView['parentBranchId'] = message ? branch.id : branch.parentBranchId
  return rows.find(({ id }) => id === parent)
}
