import { costWords, type LayoutRow, type TimelineRun } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useClient } from '../state/client.ts'
import { useView } from '../state/conversation.tsx'
import { AgentName } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { counted, hueOf } from '../ui/format.ts'
import { RunMark, RunWord } from '../ui/run-mark.tsx'
import { TextLines } from '../ui/text-lines.tsx'
import { showError } from '../ui/toasts.tsx'
import { shareWords, spanWords } from './timeline-labels.ts'

interface DetailsProps {
  readonly row: LayoutRow
  readonly run: TimelineRun
  readonly input: string | undefined
  /** Moves the focus here when a person opened the details, but not when the selection followed the arrow keys. */
  readonly takesFocus: boolean
  readonly onOpenAt: () => void
  readonly onClose: () => void
}

export function Details({ row, run, input, takesFocus, onOpenAt, onClose }: DetailsProps) {
  const about = useRun(row.runId)
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (takesFocus) section.current?.focus()
  }, [takesFocus, row.runId])
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label={`${row.agent}: ${row.task}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
      }}
      className={`flex min-h-0 min-w-0 flex-1 flex-col bg-panel outline-none focus-visible:shadow-[inset_0_2px_0_var(--accent)] ${hueOf(row.agent)}`}
    >
      <header className="flex items-center gap-2 border-b border-line py-1.5 pr-1.5 pl-3">
        {about && <RunMark run={about} silent />}
        <h3 className="min-w-0 flex-1 truncate text-sm">
          <AgentName name={row.agent} />
          <span className="ml-2 text-ink-2">{row.task}</span>
        </h3>
        <Button icon="external" onPress={onOpenAt}>
          Open at this point
        </Button>
        <IconButton icon="x" label="Close details" onPress={onClose} />
      </header>
      <div className="scrolls min-h-0 flex-1 overflow-y-auto p-3">
        <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-1 text-xs">
          {about && <Facts run={about} />}
          <Times row={row} />
          <Fact name="Own cost">
            {row.share === null
              ? costWords(row.costUsd)
              : `${costWords(row.costUsd)} · ${shareWords(row.share)} of total`}
          </Fact>
          <Marks run={run} />
        </dl>
        {about?.error && (
          <p className="mt-3 rounded-md bg-failed-soft px-3 py-2 text-xs text-failed">
            {[about.error.message, about.error.hint].filter(Boolean).join(' — ')}
          </p>
        )}
        <h4 className="mt-3 mb-1 text-xs font-medium text-ink-2">Input</h4>
        <TextLines text={input ?? row.task} label="Input" lines={8} />
        {about?.headline && (
          <>
            <h4 className="mt-3 mb-1 text-xs font-medium text-ink-2">Start of report</h4>
            <p className="text-xs break-words">{about.headline}</p>
          </>
        )}
      </div>
    </section>
  )
}

function Facts({ run }: { run: RunRow }) {
  const { input, output, cacheRead, cacheWrite, reasoning } = run.usage
  const below = run.subtree.runs - 1
  return (
    <>
      <Fact name="State">
        <RunWord run={run} className="font-medium" />
      </Fact>
      <Fact name="End">{run.endReason?.replaceAll('_', ' ') ?? 'not ended'}</Fact>
      {run.finishReason && (
        <Fact name="Last answer">{`ended with: ${run.finishReason.replaceAll('_', ' ')}`}</Fact>
      )}
      <Fact name="Model">{run.effort ? `${run.model} · ${run.effort} effort` : run.model}</Fact>
      <Fact name="Turns">{`${run.turns} of ${run.maxTurns} · ${counted(run.toolCalls, 'tool call')}`}</Fact>
      <Fact name="Attempts">
        {run.attempt <= 1
          ? '1, no retries'
          : `${run.attempt}, ${counted(run.attempt - 1, 'retry', 'retries')}`}
      </Fact>
      <Fact name="Tokens">{`${number(input)} in (${number(cacheRead)} read from cache, ${number(cacheWrite)} written), ${number(output)} out (${number(reasoning)} reasoning)`}</Fact>
      {below > 0 && (
        <Fact name="With subagents">{`${counted(run.subtree.runs, 'run')} · ${costWords(run.subtree.costUsd)}`}</Fact>
      )}
      {run.directory && <Fact name="Directory">{run.directory}</Fact>}
    </>
  )
}

function Times({ row }: { row: LayoutRow }) {
  const times = [
    `${spanWords(row.durationMs)} total`,
    `${spanWords(row.busyMs)} in model and tools`,
    row.personMs > 0 && `${spanWords(row.personMs)} waiting for you`,
    row.queuedMs > 0 && `${spanWords(row.queuedMs)} queued`,
  ]
  return <Fact name="Time">{times.filter(Boolean).join(' · ')}</Fact>
}

const MOST_MARKS = 8

function Marks({ run: { marks } }: { run: TimelineRun }) {
  if (marks.length === 0) return null
  return (
    <Fact name="Events">
      <ul>
        {marks.slice(-MOST_MARKS).map(({ kind, at, label }, index) => (
          <li key={index} className="truncate">{`${new Date(at).toLocaleTimeString()} ${kind}: ${label}`}</li>
        ))}
      </ul>
      {marks.length > MOST_MARKS && (
        <p className="text-ink-3">{`and ${marks.length - MOST_MARKS} earlier`}</p>
      )}
    </Fact>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 break-words text-ink tabular-nums">{children}</dd>
    </>
  )
}

/** Returns the run from the loaded state; requests older runs from the server. */
function useRun(id: LayoutRow['runId']): RunRow | undefined {
  const known = useView((state) => state.runs[id])
  const client = useClient()
  const [asked, setAsked] = useState<RunRow>()
  const isKnown = known !== undefined
  useEffect(() => {
    if (isKnown) return undefined
    const ending = new AbortController()
    client.getRun({ id }, { signal: ending.signal }).then(setAsked, (error: unknown) => {
      if (!ending.signal.aborted) showError(error)
    })
    return () => ending.abort()
  }, [client, id, isKnown])
  return known ?? (asked?.id === id ? asked : undefined)
}

function number(value: number): string {
  return value.toLocaleString()
}
