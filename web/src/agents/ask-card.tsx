import type { ApprovalRow, QuestionRow } from 'offshoot/protocol'
import { ApprovalCard } from './approval-card.tsx'
import { QuestionCard } from './question-card.tsx'

/** A complete ask, with all ways to answer it. */
export function AskCard({ ask }: { ask: ApprovalRow | QuestionRow }) {
  return 'tool' in ask ? <ApprovalCard approval={ask} /> : <QuestionCard question={ask} />
}
