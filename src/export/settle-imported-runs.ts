import { isStopped, state } from '../core/run-status.ts'
import type { ToolCall } from '../core/run.ts'
import { isTaskName } from '../runtime/task/task-input.ts'
import type { DocumentRows } from './document-rows.ts'

/**
 * The rows as they arrive: whatever was going on when the document was written goes on nowhere here. A run that had not
 * stopped is paused (restart) and can be continued. Nothing that a file says may act by itself: a call that was open is
 * not run again without a new decision, and an answer to it counts no more. A call that started a subagent runs nothing: it
 * waits.
 */
export function settle(rows: DocumentRows): DocumentRows {
  const open = new Set(rows.tool_calls.filter(isOpen).map((call) => call.id))
  const spawned = new Set(rows.branches.map((branch) => branch.originToolCallId))
  const waits = ({ id, tool }: ToolCall) => isTaskName(tool) || spawned.has(id)
  const { updatedAt } = rows.conversations[0]
  return {
    ...rows,
    runs: rows.runs.map((run) =>
      isStopped(run.status)
        ? run
        : {
            ...run,
            ...state.paused('restart'),
            waitingFor: null,
            endedAt: Math.max(updatedAt, run.startedAt ?? run.queuedAt),
          },
    ),
    messages: rows.messages.map((message) =>
      message.state === 'streaming' && message.role === 'assistant'
        ? { ...message, state: 'interrupted' }
        : message,
    ),
    tool_calls: rows.tool_calls.map((call) =>
      open.has(call.id) && !waits(call) ? { ...call, repeatable: false } : call,
    ),
    approvals: rows.approvals.map((approval) =>
      open.has(approval.callId) ? { ...approval, ...UNANSWERED } : approval,
    ),
    questions: rows.questions.map((question) =>
      open.has(question.callId) ? { ...question, ...CLOSED, answeredAt: updatedAt } : question,
    ),
  }
}

const UNANSWERED = { answer: null, answeredBy: null, note: null, answeredAt: null }
/** Its call is not gone on with: whoever continues the run is asked anew. */
const CLOSED = { answer: null, answeredBy: 'stop' }

function isOpen({ status }: ToolCall): boolean {
  return status === 'pending' || status === 'awaiting_approval' || status === 'running'
}
