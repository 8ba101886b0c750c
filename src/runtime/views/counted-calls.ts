import type { StoredRun } from '../../core/run.ts'
import { isStopped } from '../../core/run-status.ts'
import type { Reader } from '../../store/port.ts'
import { countCalls } from '../run/count-calls.ts'

/** The run's row counts calls at the end of a turn; until then, their own rows do. */
export function withCountedCalls(reader: Reader, run: StoredRun): StoredRun {
  if (isStopped(run.status) || run.startedAt === null) return run
  return { ...run, toolCalls: Math.max(run.toolCalls, countCalls(reader, run.id)) }
}
