import type { Deps } from '../context/deps.ts'
import { unknownToBe } from '../journal/open-calls.ts'
import type { LiveRun } from '../run/live-run.ts'

/** Reports which calls of these runs are about to be stored as `unknown`; `ends`: the run ends with it. */
export async function tellUnknown(
  { store, tellUnknown: tell }: Pick<Deps, 'store' | 'tellUnknown'>,
  runs: readonly LiveRun[],
  ends: (run: LiveRun) => boolean,
): Promise<void> {
  const calls = tell ? runs.flatMap((run) => unknownToBe(store, run, ends(run))) : []
  if (calls.length > 0) await tell!(calls)
}
