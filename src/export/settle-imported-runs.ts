import { isStopped, state } from '../core/run-status.ts'
import type { ToolCall } from '../core/run.ts'
import { isTaskName } from '../runtime/task/task-input.ts'
import type { DocumentRows } from './document-rows.ts'

/**
 * The rows as they arrive: nothing active continues here. An active run is paused (restart) and can be continued. A
 * file must not act by itself: an open call is not repeated without a new decision, and its earlier approval is void. A
 * call that started a subagent runs nothing: it waits.
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
/** Its call is not resumed: whoever continues the run is asked again. */
const CLOSED = { answer: null, answeredBy: 'stop' }

function isOpen({ status }: ToolCall): boolean {
  return status === 'pending' || status === 'awaiting_approval' || status === 'running'
}
