import type { DocumentRows } from '../document-rows.ts'
import { authoredTasks } from './authored-tasks.ts'
import { runsWithOwnTurns } from './own-turns.ts'
import { typedAnswers } from './typed-answers.ts'
import { typedReports } from './typed-reports.ts'

/**
 * The rows of a document as this program stores them. Content of older programs is converted like an older store
 * (store/migrations).
 */
export function presentRows(rows: DocumentRows, version: number): DocumentRows {
  const typed = authoredTasks(typedAnswers(typedReports(rows)))
  return version < OWN_TURNS ? runsWithOwnTurns(typed) : typed
}

/** The first document version in which each run counts its own turns. */
const OWN_TURNS = 2
