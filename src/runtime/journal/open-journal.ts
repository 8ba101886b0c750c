import { OffshootError } from '../../core/errors.ts'
import type { CallId } from '../../core/ids.ts'
import type { Reader } from '../../store/port.ts'
import type { Deps } from '../context/deps.ts'
import { RunJournal, type JournalPorts } from './journal.ts'
import type { CallWriter, LiveRun } from '../run/live-run.ts'
import type { RunTree } from '../context/scope.ts'
import { readOpenTurn } from './open-turn.ts'
import { rollBackStarts, type StartedIn } from '../run/roll-back-starts.ts'

export type OpenJournalPorts = Pick<Deps, 'store' | 'recorder' | 'bus' | 'clock' | 'newId' | 'scheduler'>

/** The journal of one attempt of a run. */
export function createJournal(
  deps: OpenJournalPorts,
  run: LiveRun,
  spawn: JournalPorts['spawn'],
  tree?: StartedIn & Pick<RunTree, 'below'>,
): RunJournal {
  const { store, recorder, bus, clock, newId, scheduler } = deps
  const unspawn = (child: LiveRun) =>
    rollBackStarts({ store, scheduler }, tree, [child, ...resumedBelow(store, tree, child)])
  return new RunJournal(run, { store, recorder, bus, clock, newId, scheduler, unspawn, spawn })
}

/** Runs that resume together with a continued run: queued in memory, still paused in the store. */
function resumedBelow(
  store: Reader,
  tree: Pick<RunTree, 'below'> | undefined,
  { row: { branchId } }: LiveRun,
): readonly LiveRun[] {
  const below = tree?.below(branchId) ?? []
  return below.filter(({ row }) => row.status === 'queued' && store.get('runs', row.id)?.status === 'paused')
}

/**
 * Writer for the result of a call: the run's attempt, or for an undriven run, its open turn. undefined: the call is
 * closed.
 */
export function openCallWriter(
  deps: OpenJournalPorts,
  reader: Reader,
  run: LiveRun,
  callId: CallId,
): CallWriter | undefined {
  run.journal ??= leftJournal(deps, reader, run)
  return run.journal.isOpen(callId) ? run.journal : undefined
}

/** The journal of an undriven run: it can end open work, and starts nothing. */
export function leftJournal(deps: OpenJournalPorts, reader: Reader, run: LiveRun): RunJournal {
  const journal = createJournal(deps, run, () => {
    throw new OffshootError('internal', 'a run that is not driven cannot start another')
  })
  const turn = readOpenTurn(reader, run.row)
  if (turn) journal.reopen(turn)
  return journal
}
