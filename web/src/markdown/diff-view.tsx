import { changedFile, patchLines, type PatchLine } from 'offshoot/client'
import { memo, useEffect, useMemo, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { highlight, type CodeToken } from './highlight.ts'

interface DiffViewProps {
  /** The unified diff of one file. */
  readonly patch: string
  readonly label: string
  /** The file, if no other text names it. */
  readonly name?: string
}

const FIRST = 40
/** More lines at once would block the page. */
const MOST = 5000
const LOOKS = {
  context: '',
  removed: 'bg-removed',
  added: 'bg-added',
  gap: 'text-ink-3',
  note: 'text-ink-3',
} as const
const MARKS = { context: ' ', removed: '-', added: '+', gap: ' ', note: ' ' } as const

/** A change: each line with its number in the file; removed lines have the old one. */
export const DiffView = memo(({ patch, label, name }: DiffViewProps) => {
  const [open, setOpen] = useState(false)
  const lines = useMemo(() => patchLines(patch) ?? [], [patch])
  const tokens = useTokens(lines, patch)
  const shown = lines.slice(0, open ? MOST : FIRST)
  const digits = String(
    Math.max(0, ...lines.map(({ before, after }) => Math.max(before ?? 0, after ?? 0))),
  ).length
  return (
    <div className="group relative overflow-hidden rounded-md border border-line bg-panel">
      {name !== undefined && (
        <p className="truncate border-b border-line py-1 pr-9 pl-3 font-mono text-xs text-ink-2" title={name}>
          {name}
        </p>
      )}
      <CopyButton
        text={patch}
        label={`Copy ${label.toLowerCase()}`}
        className="touch:-top-1 absolute top-0.5 right-1"
      />
      <div
        tabIndex={0}
        role="region"
        aria-label={label}
        className="scrolls max-h-[60vh] overflow-auto py-1.5 font-mono text-xs leading-[1.15rem]"
      >
        <div className="min-w-max">
          {shown.map((line, at) => (
            <Row key={at} line={line} tokens={tokens?.[at]} digits={digits} />
          ))}
        </div>
      </div>
      {(lines.length > FIRST || open) && (
        <div className="flex items-center gap-2 border-t border-line px-1 py-0.5 text-xs text-ink-3">
          <Button look="quiet" className="text-xs" onPress={() => setOpen(!open)}>
            {open ? 'Show less' : `Show all ${lines.length} lines`}
          </Button>
          {open && lines.length > MOST && <span>{`the first ${MOST}; Copy copies everything`}</span>}
        </div>
      )}
    </div>
  )
})

interface RowProps {
  readonly line: PatchLine
  readonly tokens: readonly CodeToken[] | undefined
  readonly digits: number
}

function Row({ line: { kind, text, before, after }, tokens, digits }: RowProps) {
  const number = kind === 'gap' ? '⋮' : ((kind === 'removed' ? before : after) ?? '')
  return (
    <div className={`flex pr-3 ${LOOKS[kind]}`} data-diff={kind}>
      <span
        className="shrink-0 pr-2 pl-2 text-right text-ink-2 tabular-nums select-none"
        style={{ width: `calc(${digits}ch + 1rem)` }}
      >
        {number}
      </span>
      <span className="w-[2ch] shrink-0 text-ink-2">{MARKS[kind]}</span>
      <span className="whitespace-pre">
        {tokens
          ? tokens.map((token, at) => (
              <span key={at} style={token.color ? { color: token.color } : undefined}>
                {token.content}
              </span>
            ))
          : text}
      </span>
    </div>
  )
}

type LineTokens = readonly (readonly CodeToken[] | undefined)[]

/** The highlighted words of each line, once available. */
function useTokens(lines: readonly PatchLine[], patch: string): LineTokens | undefined {
  const [known, setKnown] = useState<{ readonly lines: readonly PatchLine[]; readonly tokens: LineTokens }>()
  useEffect(() => {
    let stale = false
    tokensOf(lines, languageOf(changedFile(patch))).then(
      (tokens) => !stale && tokens && setKnown({ lines, tokens }),
      stayPlain,
    )
    return () => {
      stale = true
    }
  }, [lines, patch])
  return known?.lines === lines ? known.tokens : undefined
}

/** Highlights both texts separately: removed and added lines are not one program. */
async function tokensOf(lines: readonly PatchLine[], language: string): Promise<LineTokens | undefined> {
  const of = (side: PatchLine['kind']) => lines.filter(({ kind }) => kind === 'context' || kind === side)
  const [old, next] = [of('removed'), of('added')]
  const [removed, added] = await Promise.all([old, next].map((side) => highlight(textOf(side), language)))
  if (!removed || !added) return undefined
  const byLine = new Map([
    ...old.map((line, at) => [line, removed[at]] as const),
    ...next.map((line, at) => [line, added[at]] as const),
  ])
  return lines.map((line) => byLine.get(line))
}

function textOf(lines: readonly PatchLine[]): string {
  return lines.map(({ text }) => text).join('\n')
}

function languageOf(name: string): string {
  return /\.([A-Za-z0-9]+)$/.exec(name)?.[1] ?? ''
}

/** Code without highlighting is readable too. */
function stayPlain(): void {}
