import type { ApprovalRow, QuestionRow } from 'offshoot/protocol'
import { ApprovalCard } from './approval-card.tsx'
import { QuestionCard } from './question-card.tsx'

/** The whole of what a run asks, with everything that answers it. */
export function AskCard({ ask }: { ask: ApprovalRow | QuestionRow }) {
  return 'tool' in ask ? <ApprovalCard approval={ask} /> : <QuestionCard question={ask} />
}
