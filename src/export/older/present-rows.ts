import type { DocumentRows } from '../document-rows.ts'
import { authoredTasks } from './authored-tasks.ts'
import { runsWithOwnTurns } from './own-turns.ts'
import { typedAnswers } from './typed-answers.ts'
import { typedReports } from './typed-reports.ts'

/**
 * The rows of a document as this program stores them. What an older program wrote is turned over as an older store is
 * (store/migrations).
 */
export function presentRows(rows: DocumentRows, version: number): DocumentRows {
  const typed = authoredTasks(typedAnswers(typedReports(rows)))
  return version < OWN_TURNS ? runsWithOwnTurns(typed) : typed
}

/** The first version of a document in which each run counts its own turns. */
const OWN_TURNS = 2
