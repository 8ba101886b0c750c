import { z } from 'zod'
import { ToolError, type AnyTool } from '../../tools/port.ts'
import { controlTool } from './control-tool.ts'
import { authorOfRun, type LiveRun } from '../run/live-run.ts'
import { putMessage } from '../run/put-message.ts'
import type { Deps } from '../context/deps.ts'
import { requireSubagent, targetInput, targetSchema, type SubagentLookup } from './task-target.ts'

const fields = () => ({
  message: z.string().trim().min(1).describe('what to say'),
  mode: z
    .enum(['steer', 'follow_up'])
    .default('steer')
    .describe('steer: read at its next turn; follow_up: read when it has ended'),
})
const inputSchema = z.lazy(() => z.strictObject({ ...targetInput(), ...fields() }))

export type MessageScope = SubagentLookup & { readonly deps: Pick<Deps, 'newId' | 'recorder'> }

/** `task_message {task_id, message, mode?}`: puts a message into the inbox of an active subagent. */
export function createTaskMessage(scope: MessageScope, run: LiveRun): AnyTool {
  const { recorder, newId } = scope.deps
  return controlTool<z.infer<typeof inputSchema>>({
    name: 'task_message',
    verb: 'Message',
    inputSchema,
    modelSchema: () => targetSchema(fields()),
    idempotent: false,
    async execute({ task_id, message, mode }) {
      const { row, live } = requireSubagent(scope, run, task_id)
      const { conversationId, branchId } = row
      await recorder.record(conversationId, (change) =>
        putMessage(
          change,
          newId,
          { row, live },
          { mode, text: message, author: authorOfRun(run), refusal: hasStopped },
        ),
      )
      const when = mode === 'steer' ? 'at its next turn' : 'when it has ended'
      return `Sent: ${branchId} reads it ${when}.`
    },
  })
}

function hasStopped(branchId: string, status: string): ToolError {
  return new ToolError(
    'not_running',
    `${branchId} is ${status} and reads no messages`,
    'task_output has its report. `task` with `continue` and this task_id goes on with it.',
  )
}
