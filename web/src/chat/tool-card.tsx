import { durationWords, outputForPeople, type ViewState } from 'offshoot/client'
import { memo } from 'react'
import { AskCard } from '../agents/ask-card.tsx'
import { DiffView } from '../markdown/diff-view.tsx'
import { useView } from '../state/conversation.tsx'
import { shownBytes } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { TextLines } from '../ui/text-lines.tsx'
import { useFold } from '../state/folds.ts'
import type { ToolEntry } from './transcript-items.ts'
import { changeOf, firstLine, shownInput, stateOf, titleOf, wordOf, type CallState } from './tool-labels.ts'
import { iconOf } from '../ui/tool-icon.ts'
import { WholeOutput } from './whole-output.tsx'

/**
 * One line a call: picture, verb, target, size, time. It opens to what went in and what came out; while it waits for a
 * person, the card of that question stands below it instead.
 */
export const ToolCard = memo(
  ({ entry }: { entry: ToolEntry }) => {
    const [open, setOpen] = useFold(entry.part.id)
    const ask = useView((state) => askOf(state, entry.part.callId))
    if (ask) return <AskingCall entry={entry} ask={ask} />
    const state = stateOf(entry)
    return (
      <div className="rounded-lg">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className={`${LINE} group hover:bg-hover`}
        >
          <ToolLine entry={entry} state={state} />
          <Icon name={open ? 'down' : 'right'} size={12} className="text-ink-3" />
        </button>
        {!open && <ToolAside entry={entry} state={state} />}
        {open && <ToolDetail entry={entry} />}
      </div>
    )
  },
  (before, after) => isSameEntry(before.entry, after.entry),
)

const LINE = 'touch:min-h-11 flex w-full items-center gap-2 rounded-md px-2 py-1 text-left text-sm'

type Ask = ViewState['approvals'][number] | ViewState['questions'][number]

/** What a call waits for a person to say. */
function askOf({ approvals, questions }: ViewState, callId: string): Ask | undefined {
  return [...approvals, ...questions].find((ask) => ask.callId === callId)
}

function AskingCall({ entry, ask }: { entry: ToolEntry; ask: Ask }) {
  return (
    <div>
      <div className={LINE}>
        <ToolLine entry={entry} state="awaiting_approval" />
      </div>
      <AskCard ask={ask} />
    </div>
  )
}

export function isSameEntry(a: ToolEntry, b: ToolEntry): boolean {
  return a.part === b.part && a.call === b.call && a.result === b.result && a.branch === b.branch
}

function ToolLine({ entry, state }: { entry: ToolEntry; state: CallState }) {
  const { verb, target } = titleOf(entry)
  const failed = state === 'failed' || state === 'denied' || state === 'unknown'
  const { call, result } = entry
  const size = result ? result.output.text.length : 0
  return (
    <>
      <ToolIcon tool={entry.part.tool} state={state} />
      <span className="shrink-0 text-ink-2">{verb}</span>
      <span className="min-w-0 flex-1 truncate font-mono text-xs text-ink" title={target}>
        {target}
      </span>
      {wordOf(state) && (
        <span className={`shrink-0 text-xs ${failed ? 'text-failed' : 'text-needs'}`}>{wordOf(state)}</span>
      )}
      <span className="hidden shrink-0 text-xs text-ink-3 tabular-nums sm:inline">
        {[size > 0 && shownBytes(size), call?.endedAt && durationWords(call.endedAt - call.startedAt)]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </>
  )
}

function ToolIcon({ tool, state }: { tool: string; state: CallState }) {
  if (state === 'running' || state === 'pending')
    return <Icon name="running" size={14} className={`text-running ${state === 'running' ? 'spin' : ''}`} />
  if (state === 'awaiting_approval') return <Icon name="flag" size={14} className="text-needs" />
  const failed = state === 'failed' || state === 'denied' || state === 'unknown'
  return <Icon name={iconOf(tool)} size={14} className={failed ? 'text-failed' : 'text-ink-3'} />
}

/** What is worth seeing of a closed card: the first line of an error, the last one of a running command. */
function ToolAside({ entry, state }: { entry: ToolEntry; state: CallState }) {
  const output = state === 'running' ? (entry.call?.lastLine ?? '') : ''
  const error =
    entry.call?.error?.message ??
    (state === 'failed' && entry.result ? outputForPeople(entry.result.output) : undefined)
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

/** Input or change, and output. A change that was made is what the tool says it was: it is shown once. */
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
        <p className="text-xs text-ink-3">It gave no output.</p>
      )}
    </div>
  )
}
