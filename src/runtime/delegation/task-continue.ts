import { isStopped } from '../../core/run-status.ts'
import type { StartedCall } from '../../loop/ports.ts'
import { ToolError } from '../../tools/port.ts'
import { continueRun, type ContinueScope } from './continue-run.ts'
import { addToInbox } from '../run/inbox.ts'
import { authorOfRun, eventScope, type LiveRun } from '../run/live-run.ts'
import { openCallWriter, type OpenJournalPorts } from '../journal/open-journal.ts'
import type { RunTree } from '../context/scope.ts'
import type { Change } from '../log/recorder.ts'
import { inBackground, spawnChild, taskText, type SpawnScope } from './spawn-child.ts'
import { CONTINUE, TOLD_TO_GO_ON, type TaskInput } from '../task/task-input.ts'
import { requireSubagent, type SubagentLookup } from './task-target.ts'

export type TaskScope = SpawnScope &
  ContinueScope &
  SubagentLookup & { readonly tree: Pick<RunTree, 'publish'> }

/**
 * Writes what a `task` call asks for in the transaction of its intent, and returns the run whose report answers it.
 * undefined: the run is active and reads the text as a message. @throws ToolError
 */
export function writeTask(
  change: Change,
  scope: TaskScope,
  parent: LiveRun,
  call: StartedCall,
): LiveRun | undefined {
  const input = call.input as TaskInput
  if (!input.continue) return spawnChild(change, scope, parent, call)
  const run = latestOf(change, scope, parent, input.continue)
  if (!isStopped(run.row.status)) {
    const { conversationId, branchId } = run.row
    const said = textOfOrder(input) ? { text: taskText(input), author: authorOfRun(parent) } : TOLD_TO_GO_ON
    const item = { conversationId, branchId, kind: 'user', mode: 'steer', ...said } as const
    addToInbox(change, scope.deps.newId, eventScope(run, change.at), item)
    return undefined
  }
  checkFree(change, scope.deps, run)
  const most = scope.deps.config.limits.maxTurns
  if (input.max_turns !== undefined && input.max_turns > most)
    throw new ToolError(
      'limit',
      `max_turns ${input.max_turns} is more than the ${most} that any run may take`,
    )
  const background = inBackground(call, run.agent, input)
  const { max_turns: maxTurns, max_cost_usd: maxCostUsd, max_tokens: maxTokens } = input
  const by = { parent, call, background }
  const order = { text: textOfOrder(input), maxTurns, maxCostUsd, maxTokens, by }
  const next = continueRun(change, scope, run, order)[0]!
  scope.tree.publish(next)
  return next
}

/** undefined: without a text of the agent, the runtime tells the subagent to continue. */
function textOfOrder(input: TaskInput): string | undefined {
  const text = taskText(input)
  return text === CONTINUE ? undefined : text
}

/** Answer for the model if a continue became a message. */
export const STEERED =
  'It has not stopped: it reads your prompt at its next turn and reports as planned. Nothing new was started.'

function latestOf({ tx }: Change, scope: SubagentLookup, parent: LiveRun, id: string): LiveRun {
  const { row } = requireSubagent(scope, parent, id, tx)
  const latest = scope.tree.latest(row.branchId)
  if (latest) return latest
  throw new ToolError('not_found', `nothing has run on ${row.branchId}`)
}

function checkFree(change: Change, deps: OpenJournalPorts, run: LiveRun): void {
  const { branchId } = run.row
  if (run.isDriven) throw new ToolError('busy', `${branchId} is stopping`, 'Call again.')
  const { parent, call } = run
  if (parent && call && !run.row.background && openCallWriter(deps, change.tx, parent, call.part.callId))
    throw new ToolError('busy', `another call already waits for ${branchId}`, 'A person has paused it.')
}
