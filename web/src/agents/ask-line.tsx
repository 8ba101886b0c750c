import { durationWords } from 'offshoot/client'
import type { ApprovalRow, QuestionRow } from 'offshoot/protocol'
import { openAsk } from '../state/ask-places.ts'
import { Icon } from '../ui/icon.tsx'
import { useNow } from '../ui/use-now.ts'

interface AskLineProps {
  readonly ask: ApprovalRow | QuestionRow
  /** Label of the asking branch. */
  readonly path: string
  /** The conversation, if it is another one. */
  readonly from?: string | undefined
  /** In a narrow column, the ask has its own row. */
  readonly tall?: boolean
}

/** One line for an open ask, which leads to its card. */
export function AskLine({ ask, path, from, tall = false }: AskLineProps) {
  const now = useNow()
  const isApproval = 'tool' in ask
  const what = (
    <span className={`${tall ? '' : 'ml-2'} text-xs ${isApproval ? 'font-mono' : ''}`}>
      {isApproval ? ask.title : ask.question}
    </span>
  )
  return (
    <a
      href={path}
      data-ask-line={ask.id}
      data-opener={`view-${ask.branchId}`}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        openAsk(ask.id, path)
      }}
      className="touch:min-h-11 flex min-h-8 items-center gap-2 rounded-lg border border-needs-line bg-needs-soft px-3 py-1 text-sm hover:brightness-95"
    >
      <Icon name={isApproval ? 'flag' : 'question'} size={14} className="shrink-0 text-needs" />
      <span className="min-w-0 flex-1">
        {from !== undefined && <span className="block truncate text-xs text-ink-2">{from}</span>}
        <span className="block truncate">
          <span className="text-xs text-ink-2 tabular-nums">{`#${ask.number} `}</span>
          <span className="font-medium text-needs">{ask.path.join(' › ')}</span>
          {!tall && what}
        </span>
        {tall && <span className="block truncate">{what}</span>}
      </span>
      <span className="shrink-0 text-xs text-ink-2 tabular-nums">
        {durationWords(now - (isApproval ? ask.requestedAt : ask.askedAt))}
      </span>
      <span className="shrink-0 text-sm font-medium text-needs">Answer</span>
      <Icon name="right" size={12} className="shrink-0 text-needs" />
    </a>
  )
}
