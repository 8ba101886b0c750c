import type { ContextMessage } from '../../../core/build-context.ts'
import { textOf } from '../../../core/message.ts'
import type { Report } from '../../../loop/ports.ts'
import type { Reader } from '../../../store/port.ts'
import type { RunJournal } from '../../journal/journal.ts'
import type { LiveRun } from '../../run/live-run.ts'
import { readMessages } from '../../run/messages.ts'
import { checkReport, outputSchemaOf } from './report-check.ts'

/** Number of corrective tries per run. Each is a turn. */
export const MAX_CORRECTIONS = 2

const BEGINNING = 'Your report does not satisfy its schema:'
/** Length of the schema in a correction, characters. */
const MAX_SCHEMA_CHARS = 8_000

/**
 * Correction for a run whose report does not satisfy its schema; empty if it does, if there is none, or after enough
 * tries. Tries are counted from stored messages, so a crash does not reset them.
 */
export async function correctReport(
  store: Reader,
  run: LiveRun,
  journal: Pick<RunJournal, 'instruct'>,
  report: Report,
): Promise<readonly ContextMessage[]> {
  const checked = await checkReport(store, run, report.lastText ?? report.text)
  run.controller.signal.throwIfAborted()
  if (!checked || checked.fits || !checked.canBeMended || correctionsOf(store, run) >= MAX_CORRECTIONS)
    return []
  const shown = JSON.stringify(outputSchemaOf(store, run))
  return [
    await journal.instruct(
      [
        BEGINNING,
        ...checked.lines.map((line) => `- ${line}`),
        'Answer with the whole corrected JSON value alone, without any other text.',
        ...(shown.length <= MAX_SCHEMA_CHARS ? [`The schema: ${shown}`] : []),
      ].join('\n'),
    ),
  ]
}

export function correctionsOf(store: Reader, { row }: LiveRun): number {
  return readMessages(store, row.branchId).filter(
    ({ role, runId, parts }) => role === 'user' && runId === row.id && textOf(parts).startsWith(BEGINNING),
  ).length
}
