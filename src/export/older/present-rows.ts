import type { DocumentRows } from '../document-rows.ts'
import { authoredTasks } from './authored-tasks.ts'
import { typedAnswers } from './typed-answers.ts'
import { typedReports } from './typed-reports.ts'

/**
 * The rows of a document as this program stores them. What an older program wrote is turned over as an older store is
 * (store/migrations).
 */
export function presentRows(rows: DocumentRows): DocumentRows {
  return authoredTasks(typedAnswers(typedReports(rows)))
}
