import { z } from 'zod'
import { isStopped } from '../core/run-status.ts'
import { ToolError, type AnyTool } from '../tools/port.ts'
import { controlTool } from './control-tool.ts'
import { addToInbox } from './inbox.ts'
import { place, type LiveRun } from './live-run.ts'
import type { Scope } from './scope.ts'
import { requireTarget, targetInput, targetSchema } from './task-target.ts'

const message = z.string().trim().min(1).describe('what to say')
const mode = z
  .enum(['steer', 'follow_up'])
  .default('steer')
  .describe('steer: read at its next turn; follow_up: read when it has ended')
const inputSchema = z.strictObject({ ...targetInput, message, mode })

/** `task_message {task_id, message, mode?}`: an item for the inbox of a subagent that has not stopped. */
export function createTaskMessage(scope: Scope, run: LiveRun): AnyTool {
  const { recorder, newId } = scope.deps
  return controlTool<z.infer<typeof inputSchema>>({
    name: 'task_message',
    verb: 'Message',
    inputSchema,
    jsonSchema: targetSchema({ message, mode }),
    idempotent: false,
    async execute({ task_id, message, mode }) {
      const { row, live } = requireTarget(scope, run, task_id)
      const { conversationId, branchId } = row
      const item = { conversationId, branchId, kind: 'user', mode, text: message } as const
      await recorder.record(conversationId, (change) => {
        // looked at where it is written: what ends later finds the item
        if (!live || isStopped(live.row.status)) throw hasStopped(branchId, live?.row.status ?? row.status)
        addToInbox(change, newId, place(live, change.at), item)
      })
      const when = mode === 'steer' ? 'at its next turn' : 'when it has ended'
      return `Sent: ${branchId} reads it ${when}.`
    },
  })
}

function hasStopped(branchId: string, status: string): ToolError {
  return new ToolError(
    'not_running',
    `${branchId} is ${status} and reads no messages`,
    'task_output has its report. For more work start another subagent with `task`, and give it what it needs of that report.',
  )
}
