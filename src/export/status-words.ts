import { authorWords } from '../core/message.ts'
import type { RunId } from '../core/ids.ts'
import { statusLine, type StatusLine } from '../core/status-line/status-line.ts'
import type { ExportDocument, ExportedRun } from './document.ts'
import { placedRuns } from './left-paused.ts'

/** Context of a document view. */
export interface WriteOptions {
  /** Whether a live process drives the conversation. Default: true. */
  readonly isDriven?: boolean
}

/** A run with the words of its state. */
export type ShownRun = ExportedRun & {
  readonly words: string
  /** Its process exited before it stopped. */
  readonly isLeft: boolean
}

/** The status line of each run of a document, by its id, as on every other surface. */
export function statusLinesOfDocument(
  document: ExportDocument,
  { isDriven = true }: WriteOptions = {},
): ReadonlyMap<RunId, StatusLine> {
  const runs = placedRuns(document)
  const known = new Map(runs.map((run) => [run.id, run]))
  return new Map(
    runs.map((run) => {
      const parent = run.parentRunId === null ? undefined : known.get(run.parentRunId)
      return [
        run.id,
        statusLine({ ...run, queuePosition: null }, { parent, isDriven, person: authorWords('person') }),
      ]
    }),
  )
}

/** `Paused: by User`. A run's error, and what is left below it, have separate lines. */
export function stateWordsOf({ status }: Pick<ExportedRun, 'status'>, { state, detail }: StatusLine): string {
  const hasLines = status === 'completed' || status === 'failed'
  return detail === null || hasLines ? state : `${state}: ${detail}`
}
