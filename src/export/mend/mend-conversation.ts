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

/** A conversation needs few; each mends everything that it finds of shapes, and one reference. */
const MAX_ROUNDS = 100

/**
 * Mends what was read of a conversation in a damaged store, until an import takes its export: what names something that is
 * lost names it no more, and what an import refuses is removed; a notice says so. Returns how many rows it changed.
 * @throws DamagedExport where that cannot be had; what `exportConversation` throws.
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
