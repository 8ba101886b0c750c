import { isDeepStrictEqual } from 'node:util'
import { errorMessage } from '../../src/core/errors.ts'
import type { StoredRun } from '../../src/core/run.ts'
import { parseRun } from '../../src/core/run-steps.ts'

/** What is wrong with a row that the program has written: it has to be a run just as it is. */
export function runProblem(row: StoredRun): string | undefined {
  try {
    const differs = !isDeepStrictEqual(parseRun(row), { ...row })
    return differs ? `${row.id} is ${row.status} and has what that status has not` : undefined
  } catch (error) {
    return errorMessage(error)
  }
}
