import { costWords, tokenWords } from 'offshoot/client'
import { useConversationId, useView } from '../state/conversation.tsx'
import { usePref } from '../state/prefs.ts'
import { navigate } from '../state/route.ts'
import { IconButton } from '../ui/button.tsx'
import { counted } from '../ui/format.ts'
import { Toggle } from '../ui/toggle.tsx'

interface HeaderProps {
  readonly onZoom: (factor: number) => void
  readonly onFit: () => void
  readonly isFit: boolean
  /** The timeline already fills the page. */
  readonly full: boolean
}

/** Totals of all runs, each counted once, and the view options. */
export function TimelineHeader({ onZoom, onFit, isFit, full }: HeaderProps) {
  const [compress, setCompress] = usePref('compressIdle')
  const [table, setTable] = usePref('timelineTable')
  const conversationId = useConversationId()
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-1.5 px-3 py-2">
      <Totals />
      <div className="flex-1" />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {!table && (
          <Toggle isSelected={compress} onChange={setCompress}>
            Compress idle gaps
          </Toggle>
        )}
        <Toggle isSelected={table} onChange={setTable}>
          Show as table
        </Toggle>
        {!table && (
          <div role="group" aria-label="Zoom" className="flex items-center">
            <IconButton icon="minus" label="Zoom out" keys="−" isDisabled={isFit} onPress={() => onZoom(2)} />
            <IconButton icon="plus" label="Zoom in" keys="+" onPress={() => onZoom(0.5)} />
            <IconButton icon="fit" label="Zoom to fit" keys="0" isDisabled={isFit} onPress={onFit} />
          </div>
        )}
        {!full && (
          <IconButton
            icon="external"
            label="Open timeline as a page"
            data-opener="timeline-page"
            onPress={() => navigate(`/c/${encodeURIComponent(conversationId)}/timeline`)}
          />
        )}
      </div>
    </header>
  )
}

function Totals() {
  const totals = useView((state) => state.totals)
  const budget = useView((state) => state.budget)
  const { input, output } = totals.usage
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-xs text-ink-2 tabular-nums">
        <span className="font-medium text-ink">{counted(totals.runs, 'run')}</span>
        {` · ${tokenWords(input)} in · ${tokenWords(output)} out · ${costWords(totals.costUsd)}`}
        {budget.usd !== null && ` of ${costWords(budget.usd)}`}
      </p>
      {budget.usd !== null && <BudgetLine part={budget.usd === 0 ? 1 : (totals.costUsd ?? 0) / budget.usd} />}
    </div>
  )
}

/** Share of the budget at which the line turns into a warning. */
const NEARLY = 0.8

function BudgetLine({ part }: { part: number }) {
  const percent = Math.min(100, Math.round(part * 100))
  const tone = part >= 1 ? 'bg-failed' : part >= NEARLY ? 'bg-needs' : 'bg-accent'
  return (
    <div
      role="meter"
      aria-label="Budget spent"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={`${percent}% of budget spent`}
      className="h-1 w-44 overflow-hidden rounded-full bg-pressed"
    >
      <div
        className={`h-full rounded-full ${tone}`}
        style={{ width: `${Math.max(percent, part > 0 ? 1 : 0)}%` }}
      />
    </div>
  )
}
