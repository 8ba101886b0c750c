import { idPrefix, type NewId } from '../core/ids.ts'
import type { Part } from '../core/message.ts'
import type { DocumentRows } from './document-rows.ts'

type NewNames = ReadonlyMap<string, string>

/** Every id in a table of the document, including calls without a journal. */
export function idsOf(rows: DocumentRows): Set<string> {
  const { todos: _, ...tables } = rows
  const ids = new Set<string>(Object.values(tables).flatMap((table) => table.map((row) => row.id)))
  for (const { part } of rows.parts) if ('callId' in part) ids.add(part.callId)
  return ids
}

/**
 * The rows under new ids, in the same order. Ids within texts are renamed too, because a model continues a task by the
 * id that it read. Provider-signed data stays unchanged, or the provider would reject it.
 */
export function renameIds(rows: DocumentRows, newId: NewId): DocumentRows {
  const names = new Map<string, string>()
  for (const id of [...idsOf(rows)].toSorted()) names.set(id, newId(idPrefix(id)!))
  const renamed = Object.entries(rows).map(([table, list]) => [
    table,
    (list as readonly object[]).map((row) => renameFields(row, names)),
  ])
  return Object.fromEntries(renamed) as DocumentRows
}

function renameFields(row: object, names: NewNames): object {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      key === 'part' ? renamePart(value, names) : rename(value, names),
    ]),
  )
}

function renamePart(part: Part, names: NewNames): Part {
  const kept = {
    ...(part.type === 'reasoning' ? { text: part.text } : {}),
    ...('metadata' in part ? { metadata: part.metadata } : {}),
  }
  return { ...(rename(part, names) as object), ...kept } as Part
}

/** Bytes stay unchanged. */
function rename(value: unknown, names: NewNames): unknown {
  if (typeof value === 'string') return value.replace(IDS, (id) => names.get(id) ?? id)
  if (Array.isArray(value)) return value.map((each) => rename(each, names))
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rename(each, names)]))
}

const IDS = /\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}\b/g
