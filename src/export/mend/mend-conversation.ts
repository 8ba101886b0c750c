import type { ConversationId, NewId } from '../../core/ids.ts'
import type { Tx } from '../../store/port.ts'
import { checkReferences } from '../check-references.ts'
import { DamagedExport } from '../damaged-export.ts'
import type { ExportDocument } from '../document.ts'
import { exportConversation } from '../export-conversation.ts'
import { shapeProblems } from '../parse-export.ts'
import { mendNames } from './mend-names.ts'
import { MendedRows } from './mended-rows.ts'
import { rowAtPlace } from './row-at-place.ts'

/** Most rounds; few are needed: each fixes all wrong shapes, and one reference. */
const MAX_ROUNDS = 100

/**
 * Fixes a salvaged conversation until an import accepts its export: clears references to lost data and removes what an
 * import refuses, with a notice. Returns the number of changed rows. @throws DamagedExport if that is impossible; the
 * errors of `exportConversation`.
 */
export function mendConversation(
  tx: Tx,
  id: ConversationId,
  ports: { readonly newId: NewId; readonly now: () => number },
): number {
  const rows = new MendedRows(tx, id, ports)
  rows.mendMain()
  for (let round = 0; ; round++) {
    mendNames(tx, id, rows)
    const document = exportConversation(tx, id)
    const problems = problemsOf(document)
    if (problems.length === 0) return rows.changes
    const before = rows.changes
    for (const { place } of problems) rows.mend(rowAtPlace(document, place))
    if (rows.changes === before || round === MAX_ROUNDS) throw problems[0]!
  }
}

function problemsOf(document: ExportDocument): readonly DamagedExport[] {
  const problems = [...shapeProblems(document)]
  if (problems.length > 0) return problems
  try {
    checkReferences(document)
    return []
  } catch (error) {
    if (error instanceof DamagedExport) return [error]
    throw error
  }
}
