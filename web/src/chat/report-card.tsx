import { reportDetails, reportRemarks, reportTitle } from 'offshoot/client'
import type { MessagePage } from 'offshoot/protocol'
import { Markdown } from '../markdown/markdown.tsx'
import { useFold } from '../state/folds.ts'
import { hueOf } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'

type Part = MessagePage['messages'][number]['parts'][number]
type Report = Extract<Part, { type: 'report' }>['report']

interface ReportProps {
  readonly report: Report
  /** Text of the subagent. */
  readonly text: string
}

/** A delivered report with its agent. */
export function ReportCard({ report, text }: ReportProps) {
  const [open, setOpen] = useFold(`report-${report.fromRunId}-${report.status}`)
  const title = reportTitle(report)
  return (
    <section
      aria-label={title}
      className={`rounded-xl border border-line bg-raised p-1 ${hueOf(report.agent)}`}
    >
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="touch:min-h-11 flex w-full items-center gap-1.5 rounded-md px-2 py-1 text-left text-sm hover:bg-hover"
      >
        <span className="flex min-w-0 flex-1 items-baseline gap-x-1.5 max-sm:flex-wrap">
          <span className="shrink-0 font-semibold">{title}</span>{' '}
          <span className="min-w-0 text-xs text-ink-3 sm:flex-1 sm:truncate">{reportDetails(report)}</span>
        </span>
        <Icon name={open ? 'down' : 'right'} size={12} className="text-ink-3" />
      </button>
      {open && (
        <div className="px-2 pt-1 pb-2">
          <ReportText report={report} text={text} />
        </div>
      )}
    </section>
  )
}

/** The text of a report, below the runtime's remarks. */
export function ReportText({ report, text }: ReportProps) {
  return (
    <>
      {reportRemarks(report).map((remark) => (
        <p key={remark} className="text-xs wrap-anywhere text-ink-3">
          {remark}
        </p>
      ))}
      {text.trim() !== '' && (
        <div
          className="scrolls prose-reply max-h-60 overflow-y-auto rounded-md border border-line bg-panel px-3 py-2 text-sm!"
          tabIndex={0}
          role="region"
          aria-label="Report"
        >
          <Markdown text={text} />
        </div>
      )}
    </>
  )
}
