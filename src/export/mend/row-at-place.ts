import type { ExportDocument } from '../document.ts'

/** The row and field at a place of a document. */
export type RowAtPlace =
  | {
      readonly table: 'rules'
      readonly branchId: string | null
      readonly index: number
      readonly field: string
    }
  | { readonly table: 'todos'; readonly id: string; readonly field: string }
  | { readonly table: TableAtPlace; readonly id: string; readonly field: string }

type TableAtPlace = (typeof TABLES)[keyof typeof TABLES] | 'conversations'

const TABLES = {
  main: 'branches',
  branches: 'branches',
  messages: 'messages',
  parts: 'parts',
  runs: 'runs',
  calls: 'tool_calls',
  approvals: 'approvals',
  questions: 'questions',
  inbox: 'inbox',
  artifacts: 'artifacts',
} as const

/** `main.metadata.runs[0].calls[1].status` is the field `status` of a call. */
export function rowAtPlace(document: ExportDocument, place: string): RowAtPlace {
  const keys = place.match(/[^.[\]]+/g) ?? []
  let found: RowAtPlace = { table: 'conversations', id: document.id, field: keys[0] ?? '' }
  let branchId: string | null = null
  let value: unknown = document
  for (const [i, key] of keys.entries()) {
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[key]
    if (key === 'restrictions')
      return { table: 'rules', branchId, index: Number(keys[i + 1]), field: keys[i + 2] ?? '' }
    if (key === 'todos' && branchId !== null)
      return { table: 'todos', id: branchId, field: keys[i + 1] ?? '' }
    const list = key === 'main' ? key : keys[i - 1]
    const id = (value as { readonly id?: unknown } | undefined)?.id
    if (!isTable(list) || (list !== 'main' && !/^\d+$/.test(key)) || typeof id !== 'string') continue
    if (list === 'main' || list === 'branches') branchId = id
    found = { table: TABLES[list], id, field: fieldOf(keys.slice(i + 1)) }
    if (found.table === 'parts') return found
  }
  return found
}

function isTable(name: string | undefined): name is keyof typeof TABLES {
  return name !== undefined && Object.hasOwn(TABLES, name)
}

function fieldOf([first = '', second = '']: readonly string[]): string {
  return first === 'metadata' ? second : first
}
