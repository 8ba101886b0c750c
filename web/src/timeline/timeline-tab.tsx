import { layout, type Layout } from 'offshoot/client'
import { useMemo, useState, type KeyboardEvent } from 'react'
import { useClient } from '../state/client.ts'
import { useConnection, useConversationId, useIsDriven, useLiveNow, useView } from '../state/conversation.tsx'
import { usePref } from '../state/prefs.ts'
import { branchPath, navigate } from '../state/route.ts'
import { Button } from '../ui/button.tsx'
import { showError } from '../ui/toasts.tsx'
import { Axis } from './axis.tsx'
import { Hatch, Legend } from './bar.tsx'
import { Chart, FIGURES, GUTTER } from './chart.tsx'
import { Details } from './details.tsx'
import { shownRows, type ShownRow } from './shown-rows.ts'
import { TimelineHeader } from './timeline-header.tsx'
import { Minimap } from './minimap.tsx'
import { openAt } from './open-at.ts'
import { panned, zoomed, type Range } from './range.ts'
import { TimelineTable } from './table.tsx'
import { useTimeline, type TimelineState } from './use-timeline.ts'
import { useWidth } from './use-width.ts'

/** Below this width, names go above the bars. Pixels. */
const STACKED_BELOW = 640
/** From this width on, the details go beside the bars. Pixels. */
const BESIDE_FROM = 1000
const PADDING = 12

/** Timeline of all runs of the conversation, in the right panel or as a page. */
export function TimelineTab({ full = false }: { full?: boolean }) {
  const conversationId = useConversationId()
  const state = useTimeline(conversationId)
  const { connection } = useConnection()
  const [ref, width] = useWidth<HTMLDivElement>()
  const isLive = useMemo(
    () => [...state.timeline.values()].some(({ status }) => LIVE.has(status)),
    [state.timeline],
  )
  const isDriven = useIsDriven()
  const now = useLiveNow(isLive && isDriven)
  return (
    <section
      ref={ref}
      aria-label="Timeline"
      className="flex h-full min-h-0 min-w-0 flex-1 flex-col bg-ground"
    >
      {full && (
        <div className="flex items-center gap-2 px-3 pt-2">
          <Button
            look="quiet"
            icon="left"
            className="-ml-2"
            onPress={() => navigate(branchPath(conversationId))}
          >
            Back
          </Button>
          <h2 className="text-sm font-semibold">Timeline</h2>
        </div>
      )}
      {state.error !== null && <p className="px-3 py-2 text-xs text-failed">{messageOf(state.error)}</p>}
      {width > 0 && state.timeline.size > 0 && <Timeline state={state} now={now} width={width} full={full} />}
      {state.timeline.size === 0 && state.error === null && (
        <p className="p-6 text-center text-sm text-ink-3">
          {connection.status === 'lost' ? 'Reconnecting to the server' : 'Nothing has run yet'}
        </p>
      )}
    </section>
  )
}

const LIVE: ReadonlySet<string> = new Set(['queued', 'running', 'waiting'])

interface TimelineProps {
  readonly state: TimelineState
  readonly now: number
  readonly width: number
  readonly full: boolean
}

function Timeline({ state, now, width, full }: TimelineProps) {
  const [asTable] = usePref('timelineTable')
  const [range, setRange] = useState<Range | null>(null)
  const { folded, fold } = useFolded()
  const [focusedId, setFocusedId] = useState<string | null>(null)
  const [opened, setOpened] = useState<Opened | null>(null)
  const [mainRef, mainWidth] = useWidth<HTMLDivElement>()
  const beside = width >= BESIDE_FROM
  const stacked = (mainWidth || width) < STACKED_BELOW
  const barsWidth = Math.max(0, (mainWidth || width) - (stacked ? 2 * PADDING : GUTTER + FIGURES))
  const { all, shown, rows } = useShown({ state, now, width, barsWidth, range, folded })
  const open = (row: ShownRow) => setOpened({ runId: row.runId, takesFocus: true })
  const focus = (runId: string) => {
    setFocusedId(runId)
    setOpened((before) => before && { runId, takesFocus: before.takesFocus && before.runId === runId })
  }
  const zoom = (factor: number) => setRange(zoomed(range ?? all, all, factor))
  const close = () => {
    setOpened(null)
    document.querySelector<HTMLElement>(`[data-run="${CSS.escape(opened?.runId ?? '')}"]`)?.focus()
  }
  const list = {
    rows,
    selectedId: opened?.runId ?? null,
    focusedId,
    onFocus: focus,
    onFold: fold,
    onOpen: open,
  }
  return (
    <>
      <TimelineHeader onZoom={zoom} onFit={() => setRange(null)} isFit={range === null} full={full} />
      {!asTable && <Minimap all={all} width={width - 2 * PADDING} range={range} onRange={setRange} />}
      <div className={`flex min-h-0 flex-1 ${beside ? '' : 'flex-col'}`}>
        <div ref={mainRef} className="scrolls min-h-0 min-w-0 flex-1 overflow-x-hidden overflow-y-auto">
          {asTable ? (
            <TimelineTable {...list} start={all.from} />
          ) : (
            <>
              <Hatch />
              <Axis shown={shown} start={all.from} width={barsWidth} stacked={stacked} />
              <Chart
                {...list}
                shown={shown}
                width={barsWidth}
                stacked={stacked}
                onKey={(event) => onRangeKey(event, range, all, setRange)}
              />
            </>
          )}
        </div>
        {opened && (
          <OpenDetails
            state={state}
            rows={rows}
            opened={opened}
            shown={shown}
            beside={beside}
            onClose={close}
          />
        )}
      </div>
      {!asTable && (beside || !opened) && (
        <footer className="shrink-0 border-t border-line px-3 py-1.5">
          <Legend />
        </footer>
      )}
    </>
  )
}

interface ShownInput {
  readonly state: TimelineState
  readonly now: number
  readonly width: number
  readonly barsWidth: number
  readonly range: Range | null
  readonly folded: ReadonlySet<string>
}

/** Computes the minimap and the visible part separately, each only when its inputs change. */
function useShown({ state, now, width, barsWidth, range, folded }: ShownInput) {
  const [compressIdle] = usePref('compressIdle')
  const runs = useView((state) => state.runs)
  const costUsd = useView((state) => state.totals.costUsd)
  const { timeline } = state
  const all = useMemo(
    () => layout(timeline, { width: width - 2 * PADDING, now, gutter: 0 }),
    [timeline, width, now],
  )
  const shown = useMemo(() => {
    const view = range ? { view: range } : {}
    return layout(timeline, { width: barsWidth, now, gutter: 0, compressIdle, ...view })
  }, [timeline, barsWidth, now, compressIdle, range])
  const rows = useMemo(
    () => shownRows(shown.rows, folded, { state, runs, costUsd }),
    [shown, folded, state, runs, costUsd],
  )
  return { all, shown, rows }
}

interface Opened {
  readonly runId: string
  readonly takesFocus: boolean
}

function useFolded() {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const fold = (runId: string, open: boolean) => {
    const next = new Set(folded)
    if (open) next.delete(runId)
    else next.add(runId)
    setFolded(next)
  }
  return { folded, fold }
}

const PAN = 0.1
const PAN_FAST = 0.5

/** Keys as in Jaeger: A and D pan (further with Shift), + and - zoom, 0 fits the whole timeline. */
function onRangeKey(
  event: KeyboardEvent,
  range: Range | null,
  all: Layout,
  setRange: (range: Range | null) => void,
): void {
  const shown = range ?? all
  const part = event.shiftKey ? PAN_FAST : PAN
  const moves: Readonly<Record<string, () => Range | null>> = {
    a: () => panned(shown, all, -part),
    d: () => panned(shown, all, part),
    '+': () => zoomed(shown, all, 0.5),
    '=': () => zoomed(shown, all, 0.5),
    '-': () => zoomed(shown, all, 2),
    '0': () => null,
  }
  const move = moves[event.key.toLowerCase()]
  if (!move) return
  event.preventDefault()
  event.stopPropagation()
  setRange(move())
}

interface OpenDetailsProps {
  readonly state: TimelineState
  readonly rows: readonly ShownRow[]
  readonly opened: Opened
  readonly shown: Layout
  readonly beside: boolean
  readonly onClose: () => void
}

function OpenDetails({ state, rows, opened, shown, beside, onClose }: OpenDetailsProps) {
  const client = useClient()
  const conversationId = useConversationId()
  const row = rows.find(({ runId }) => runId === opened.runId)
  const run = row && state.timeline.get(row.runId)
  if (!row || !run) return null
  const end = run.spans.at(-1)?.to ?? shown.to
  return (
    <div className={`flex min-h-0 shrink-0 border-line ${beside ? 'w-96 border-l' : 'max-h-[55%] border-t'}`}>
      <Details
        row={row}
        run={run}
        input={state.inputs.get(row.runId)}
        takesFocus={opened.takesFocus}
        onOpenAt={() => void openAt(client, conversationId, run, Math.min(shown.to, end)).catch(showError)}
        onClose={onClose}
      />
    </div>
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
