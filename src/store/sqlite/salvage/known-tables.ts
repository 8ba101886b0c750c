import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import { idPrefix, type IdPrefix } from '../../../core/ids.ts'
import { shapes } from '../../engine.ts'
import type { Table } from '../../port.ts'
import type { BaseKind } from '../../tables.ts'
import { columnName, SUM } from '../statements.ts'
import { unparsedPart } from './mark-damaged.ts'
import { isAsStored, sumOf } from '../sums.ts'
import type { PageRecords, Value } from './records.ts'

/** A table of a schema version; the form of its records distinguishes them from other tables'. */
export interface KnownTable {
  readonly name: Table
  readonly kind: PageRecords['kind']
  readonly columns: readonly KnownColumn[]
}

interface KnownColumn {
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
  readonly kind: BaseKind | undefined
  /** Prefix of its ids. */
  readonly prefix: IdPrefix | undefined
}

/** The tables of an empty database, without those for messages between processes. */
export function knownTables(db: DatabaseSync): KnownTable[] {
  const shape = shapes()
  const present = db.prepare("SELECT name, wr FROM pragma_table_list WHERE schema = 'main'").all()
  return present
    .filter(({ name }) => (name as string) in shape && !OF_PROCESSES.includes(name as string))
    .map(({ name, wr }) => ({
      name: name as Table,
      kind: wr === 1 ? 'keys' : 'rows',
      columns: columnsOf(db, name as Table),
    }))
}

const OF_PROCESSES = ['leases', 'commands']

function columnsOf(db: DatabaseSync, table: Table): KnownColumn[] {
  const shape = shapes()[table].columns
  const columns = db.prepare('SELECT name, type, "notnull" AS needed FROM pragma_table_info(?)').all(table)
  return columns.map(({ name, type, needed }) => {
    const column = shape[(name as string).replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())]
    return {
      name: name as string,
      type: type as string,
      isNullable: needed === 0,
      kind: column?.kind,
      prefix: name === 'id' ? OWN_PREFIXES[table] : PREFIXES[name as string],
    }
  })
}

/** The table of a record, if one can hold it. Later columns may be missing. */
export function tableOf(
  known: readonly KnownTable[],
  kind: PageRecords['kind'],
  record: readonly Value[],
): KnownTable | undefined {
  return known.find((table) => table.kind === kind && holds(table, record))
}

function holds({ columns }: KnownTable, record: readonly Value[]): boolean {
  return record.length <= columns.length && columns.every((column, i) => fits(column, record[i] ?? null))
}

function fits({ name, type, isNullable, prefix }: KnownColumn, value: Value): boolean {
  if (value === null) return isNullable
  if (prefix && (typeof value !== 'string' || idPrefix(value) !== prefix)) return false
  switch (type) {
    case 'TEXT':
      return typeof value === 'string' && (name !== 'id' || /^[a-z]{3}_/.test(value))
    case 'BLOB':
      return typeof value === 'object'
    case 'INTEGER':
      return Number.isInteger(value)
    default:
      return typeof value === 'number'
  }
}

/** Columns that hold an id. */
const PREFIXES: Readonly<Record<string, IdPrefix>> = {
  conversation_id: 'cnv',
  branch_id: 'brn',
  message_id: 'msg',
  run_id: 'run',
}

const OWN_PREFIXES: Readonly<Partial<Record<Table, IdPrefix>>> = {
  conversations: 'cnv',
  branches: 'brn',
  messages: 'msg',
  parts: 'prt',
  runs: 'run',
  tool_calls: 'cal',
  approvals: 'apr',
  questions: 'que',
  inbox: 'inb',
  artifacts: 'art',
}

/** A record with the checksum of its text, and whether its text was altered or names another row. */
export function summed({ name, columns }: KnownTable, record: readonly Value[]) {
  const column = shapes()[name].summed
  const sumAt = columns.findIndex((each) => each.name === SUM)
  if (column === undefined) return { values: record, isAltered: false }
  const text = record[columns.findIndex((each) => each.name === columnName(column))] ?? null
  const isAltered = !isAsStored(text, record[sumAt]) || !isOf(record[0], text)
  return { values: isAltered && sumAt >= 0 ? withSum(record, sumAt, text) : record, isAltered }
}

/** A record from before checksums is shorter. */
function withSum(record: readonly Value[], sumAt: number, text: Value): readonly Value[] {
  return Array.from({ length: sumAt + 1 }, (_, i) => (i === sumAt ? sumOf(text) : (record[i] ?? null)))
}

/** A part's text contains its id. Invalid JSON is handled elsewhere. */
function isOf(id: Value | undefined, text: Value): boolean {
  try {
    return (JSON.parse(String(text)) as { id?: unknown } | null)?.id === id
  } catch {
    return true
  }
}

/** The record of a part with unreadable JSON, with a notice instead; undefined for any other. */
export function unparsed({ name, columns }: KnownTable, record: readonly Value[]): Value[] | undefined {
  if (name !== 'parts') return undefined
  const at = columns.findIndex((column) => column.name === 'part')
  const text = String(record[at])
  return isObject(text)
    ? undefined
    : record.map((value, i) => (i === at ? unparsedPart(String(record[0]), text) : value))
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** Whether each value can be decoded, and an artifact matches its hash. */
export function isReadable({ name, columns }: KnownTable, record: readonly Value[]): boolean {
  if (name === 'artifacts' && !isArtifact(columns, record)) return false
  return columns.every(({ kind }, i) => {
    const value = record[i] ?? null
    if (value === null) return true
    try {
      if (kind === 'json') JSON.parse(value as string)
      if (kind === 'packed') zstdDecompressSync(value as Buffer)
      return true
    } catch {
      return false
    }
  })
}

function isArtifact(columns: readonly KnownColumn[], record: readonly Value[]): boolean {
  const value = (name: string) => record[columns.findIndex((column) => column.name === name)]
  try {
    const content = zstdDecompressSync(value('content') as Buffer)
    return createHash('sha256').update(content).digest('hex') === value('hash')
  } catch {
    return false
  }
}
