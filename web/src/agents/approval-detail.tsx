import type { ApprovalRow } from 'offshoot/protocol'
import { TextLines } from '../ui/text-lines.tsx'

/** The exact command, diff or path that is asked about. */
export function ApprovalDetail({ approval }: { approval: ApprovalRow }) {
  const text = approval.detail || approval.title
  return (
    <div className="mt-2">
      <TextLines text={text} label="What it wants to do" diff={/^(---|@@) /m.test(text)} />
    </div>
  )
}
