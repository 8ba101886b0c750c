import { durationWords, outputForPeople, personAnswer, type CallEnd, type ViewState } from 'offshoot/client'
import { memo } from 'react'
import { AskCard } from '../agents/ask-card.tsx'
import { DiffView } from '../markdown/diff-view.tsx'
import { useView } from '../state/conversation.tsx'
import { isBadEnd } from '../state/end-of-call.ts'
import { useCallEnd } from '../state/use-call-end.ts'
import { shownBytes } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { TextLines } from '../ui/text-lines.tsx'
import { useFold } from '../state/folds.ts'
import type { ToolEntry } from './transcript-items.ts'
import { changeOf, firstLine, shownInput, titleOf, wordOf } from './tool-labels.ts'
import { iconOf } from '../ui/tool-icon.ts'
import { WholeOutput } from './whole-output.tsx'

/**
 * One line per call: icon, verb, target, size, duration. Opens to input and output; while it waits for a person, the
 * card of that ask is below it instead.
 */
export const ToolCard = memo(
  ({ entry }: { entry: ToolEntry }) => {
    const [open, setOpen] = useFold(entry.part.id)
    const ask = useView((state) => askOf(state, entry.part.callId))
    const { part, call, result } = entry
    const end = useCallEnd({ id: part.callId, tool: part.tool, call, result })
    if (ask) return <AskingCall entry={entry} ask={ask} />
    return (
      <div className="rounded-lg">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className={`${LINE} group hover:bg-hover`}
        >
          <ToolLine entry={entry} end={end} />
          <Icon name={open ? 'down' : 'right'} size={12} className="text-ink-3" />
        </button>
        {!open && <ToolAside entry={entry} end={end} />}
        {open && <ToolDetail entry={entry} />}
      </div>
    )
  },
  (before, after) => isSameEntry(before.entry, after.entry),
)

const LINE = 'touch:min-h-11 flex w-full items-center gap-2 rounded-md px-2 py-1 text-left text-sm'

type Ask = ViewState['approvals'][number] | ViewState['questions'][number]

/** The open ask of a call. */
function askOf({ approvals, questions }: ViewState, callId: string): Ask | undefined {
  return [...approvals, ...questions].find((ask) => ask.callId === callId)
}

function AskingCall({ entry, ask }: { entry: ToolEntry; ask: Ask }) {
  return (
    <div>
      <div className={LINE}>
        <ToolLine entry={entry} end={ASKING} />
      </div>
      <AskCard ask={ask} />
    </div>
  )
}

const ASKING: CallEnd = { kind: 'awaiting_approval', words: 'needs you' }

export function isSameEntry(a: ToolEntry, b: ToolEntry): boolean {
  return a.part === b.part && a.call === b.call && a.result === b.result && a.branch === b.branch
}

function ToolLine({ entry, end }: { entry: ToolEntry; end: CallEnd }) {
  const { verb, target } = titleOf(entry)
  const word = wordOf(end)
  const { call, result } = entry
  const size = result ? result.output.text.length : 0
  return (
    <>
      <ToolIcon tool={entry.part.tool} end={end} />
      <span className="shrink-0 text-ink-2">{verb}</span>
      <span className="min-w-0 flex-1 truncate font-mono text-xs text-ink" title={target}>
        {target}
      </span>
      {word && <span className={`shrink-0 text-xs ${toneOf(end)}`}>{word}</span>}
      <span className="hidden shrink-0 text-xs text-ink-3 tabular-nums sm:inline">
        {[size > 0 && shownBytes(size), call?.endedAt && durationWords(call.endedAt - call.startedAt)]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </>
  )
}

function toneOf(end: CallEnd): string {
  if (isBadEnd(end)) return 'text-failed'
  if (end.kind === 'awaiting_approval') return 'text-needs'
  return end.kind === 'paused' ? 'text-paused' : 'text-ink-3'
}

function ToolIcon({ tool, end }: { tool: string; end: CallEnd }) {
  const { kind } = end
  if (kind === 'running' || kind === 'pending')
    return <Icon name="running" size={14} className={`text-running ${kind === 'running' ? 'spin' : ''}`} />
  if (kind === 'awaiting_approval') return <Icon name="flag" size={14} className="text-needs" />
  if (kind === 'cancelled' || kind === 'interrupted')
    return <Icon name="stop" size={14} className="text-ink-3" />
  return <Icon name={iconOf(tool)} size={14} className={isBadEnd(end) ? 'text-failed' : 'text-ink-3'} />
}

/** Preview of a closed card: an answer of the person, the first line of an error, or the last line of a running command. */
function ToolAside({ entry, end }: { entry: ToolEntry; end: CallEnd }) {
  const answer = entry.result && personAnswer(entry.result)
  if (answer !== undefined)
    return <p className="truncate pr-2 pl-8 text-sm text-ink-2">You answered: {firstLine(answer)}</p>
  const output = end.kind === 'running' ? (entry.call?.lastLine ?? '') : ''
  const error = errorOf(entry, end)
  const text = error ? firstLine(error) : output
  if (!text) return null
  return (
    <p
      className={`truncate pr-2 pl-8 font-mono text-xs ${error ? 'text-failed' : 'text-ink-3'}`}
      title={text}
    >
      {text}
    </p>
  )
}

/** For a stopped call, its label says everything. */
function errorOf({ call, result }: ToolEntry, end: CallEnd): string | undefined {
  if (end.kind === 'interrupted' || end.kind === 'cancelled') return undefined
  const said = end.kind === 'failed' && result ? outputForPeople(result.output) : undefined
  return call?.error?.message ?? said
}

/** Input or change, and output. A finished change is shown once, as the tool reported it. */
function ToolDetail({ entry }: { entry: ToolEntry }) {
  const change = changeOf(entry)
  const said = entry.result && outputForPeople(entry.result.output)
  const output = change?.words === undefined ? (said ?? entry.call?.lastLine ?? '') : ''
  const artifactId = entry.result?.output.artifactId
  return (
    <div className="flex flex-col gap-1.5 pt-1 pr-2 pb-2 pl-8">
      {change ? (
        <DiffView patch={change.patch} label="Change" />
      ) : (
        <TextLines text={shownInput(entry)} label="Input" />
      )}
      {change?.words !== undefined && <p className="text-xs text-ink-3">{change.words}</p>}
      {output !== '' && <TextLines text={output} label="Output" />}
      {artifactId && <WholeOutput artifactId={artifactId} />}
      {output === '' && change?.words === undefined && entry.result && (
        <p className="text-xs text-ink-3">No output</p>
      )}
    </div>
  )
}
