import type { CallId } from '../../core/ids.ts'
import { sandboxOf } from '../../core/receipt.ts'
import type { CallFacts } from '../../core/report/call-end.ts'
import type { Reader } from '../../store/port.ts'

/** What a call's row and run add to its result. */
export function callFactsIn(reader: Reader): (callId: CallId) => CallFacts | undefined {
  return (callId) => {
    const call = reader.get('tool_calls', callId)
    return (
      call && {
        error: call.error,
        by: reader.get('runs', call.runId),
        sandbox: sandboxOf(call.facts),
      }
    )
  }
}
