import type { ContextMessage } from '../../core/build-context.ts'
import { untilStopped } from '../run/child-waits.ts'
import type { SlotDeps } from '../run/slots.ts'
import type { Deps } from '../context/deps.ts'
import type { RunJournal } from '../journal/journal.ts'
import type { LiveRun } from '../run/live-run.ts'

/** What the model reads of a subagent in the background: that it will be told, and what not to do meanwhile. */
export function startedText(
  deps: Pick<Deps, 'scheduler'>,
  child: LiveRun,
  what = 'Started in the background',
): string {
  const position = deps.scheduler.position(child.row.id)
  const how = position === undefined ? 'running' : `queued, number ${position} in line for a slot`
  return [
    `${what}: task_id ${child.row.branchId}, status ${how}.`,
    'You will get its report by yourself as soon as it ends. Do not wait, poll or sleep, and do not do the same work; go on with other work, or end your turn.',
  ].join('\n')
}

/**
 * What a run reads instead of ending: messages that came in its last turn. A subagent also waits for its background
 * children and reads their reports, so that it reports once itself. A main run does not wait: a report wakes it again.
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
