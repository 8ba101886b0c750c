import type { AnyTool } from '../../tools/port.ts'
import type { LiveRun } from '../run/live-run.ts'
import { createTaskCancel, type CancelScope } from './task-cancel.ts'
import { controlsOf, type ControlName } from '../task/task-input.ts'
import { createTaskMessage, type MessageScope } from './task-message.ts'
import { createTaskOutput } from './task-output.ts'
import { createTaskStatus, type TaskStatusScope } from './task-status.ts'

export type ControlScope = CancelScope & MessageScope & TaskStatusScope

const CREATE = {
  task_status: createTaskStatus,
  task_output: createTaskOutput,
  task_message: createTaskMessage,
  task_cancel: createTaskCancel,
} as const satisfies Record<ControlName, (scope: ControlScope, run: LiveRun) => AnyTool>

/**
 * Tools with which a run controls the subagents below it. They reach no others, make no model request, and are offered
 * wherever `task` is.
 */
export function createControlTools(scope: ControlScope, run: LiveRun): AnyTool[] {
  return controlsOf(run.agent).map((name) => CREATE[name](scope, run))
}
