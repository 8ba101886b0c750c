import type { ContextMessage } from '../../core/build-context.ts'
import type { ToolOutput } from '../../core/message.ts'
import { untilStopped } from '../run/child-waits.ts'
import type { SlotDeps } from '../run/slots.ts'
import type { Deps } from '../context/deps.ts'
import type { RunJournal } from '../journal/journal.ts'
import type { LiveRun } from '../run/live-run.ts'

/** The answer of a call whose subagent works in the background. */
export function startedAnswer(
  deps: Pick<Deps, 'scheduler'>,
  { row: { id, branchId, agent, description, status, waitingFor } }: LiveRun,
  text = 'Started in the background',
): ToolOutput {
  const position = deps.scheduler.position(id) ?? null
  const waits = status === 'queued' && waitingFor ? { waits: waitingFor.detail } : {}
  return { text, subagent: { type: 'started', branchId, agent, description, position, ...waits } }
}

/**
 * Input for a run instead of its end: messages that arrived in its last turn. A subagent also waits for its background
 * children and reads their reports, so that it reports only once. A main run does not wait: a report wakes it again.
 * When this returns, the run may be queued for a slot.
 */
export async function readBeforeEnd(
  deps: SlotDeps,
  run: LiveRun,
  journal: RunJournal,
): Promise<readonly ContextMessage[]> {
  const steers = await journal.steers()
  if (steers.length > 0 || run.row.depth === 0) return steers
  const background = [...run.children.values()].filter((child) => child.row.background)
  const { signal } = run.controller
  await untilStopped(deps, run, background, signal)
  signal.throwIfAborted()
  return background.length > 0 ? await journal.readResults() : []
}
