import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createIds } from '../../../core/ids.ts'
import type { Table } from '../../port.ts'
import { foreign, newer } from '../sqlite-errors.ts'
import { APPLICATION_ID, migrate, SCHEMA_VERSION } from '../migrate.ts'
import { knownTables, isReadable, summed, tableOf, unparsed, type KnownTable } from './known-tables.ts'
import { markDamaged } from './mark-damaged.ts'
import { openPages, type Pages } from './database-pages.ts'
import { isInner, recordsOf, type Value } from './records.ts'
import { rejoin, type Rejoined } from './rejoin.ts'

/** What was readable in a damaged database, and what was not. */
export interface Salvage extends Rejoined {
  /** Rows per table in the new database. */
  readonly rows: Readonly<Partial<Record<Table, number>>>
  /** Pages without readable content, and missing pages. */
  readonly unreadablePages: number
  readonly pages: number
  /** Damaged records. */
  readonly unreadableRecords: number
  readonly isLogTorn: boolean
  /** Parts whose text differs from the stored one; a notice after each says so. */
  readonly altered: number
}

/**
 * Reads every page of a database and its log directly, and writes complete rows to a new database of the current
 * version, with valid references. The damaged file is not changed. @throws OffshootError `store_newer`,
 * `store_foreign`; SQLite's error if the new file cannot be written.
 */
export function salvage(file: string, to: string, now: () => number): Salvage {
  using pages = openPages(file)
  const { header } = pages
  if (header && header.applicationId !== APPLICATION_ID && header.applicationId !== 0)
    throw foreign(file, 'it is a database of another program')
  if (header && header.version > SCHEMA_VERSION) throw newer(file, header.version, SCHEMA_VERSION)
  closeSync(openSync(to, 'wx', 0o600))
  const db = new DatabaseSync(to, { enableForeignKeyConstraints: false })
  try {
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA synchronous = OFF`)
    migrate(db, to, now, { upTo: header?.version || SCHEMA_VERSION })
    const { damaged, unparsedParts, ...read } = readAll(pages, db)
    migrate(db, to, now)
    const isWhole = read.unreadablePages + read.unreadableRecords === 0 && !pages.isLogTorn
    const rejoined = rejoin(db, now(), isWhole)
    const altered = unparsedParts + markDamaged(db, damaged, createIds(now, randomBytes))
    return { ...read, ...rejoined, altered, isLogTorn: pages.isLogTorn, rows: counts(db) }
  } finally {
    db.close()
    sync(to)
  }
}

interface Read extends Pick<Salvage, 'unreadablePages' | 'pages' | 'unreadableRecords'> {
  /** Ids of parts. */
  readonly damaged: ReadonlySet<string>
  /** Parts replaced by a notice. */
  readonly unparsedParts: number
}

function readAll(pages: Pages, db: DatabaseSync): Read {
  const insert = inserter(db)
  const known = knownTables(db)
  const further = new Set<number>()
  const silent: number[] = []
  const damaged = new Set<string>()
  let unreadableRecords = 0
  let unparsedParts = 0
  db.exec('BEGIN')
  for (let number = 1; number <= pages.count; number++) {
    if (pages.free.has(number)) continue
    const found = recordsOf(pages, number, further)
    if (!found) silent.push(number)
    for (const record of found?.records ?? []) {
      const table = tableOf(known, found!.kind, record)
      if (!table) continue
      const notice = unparsed(table, record)
      const { values, isAltered } = summed(table, notice ?? record)
      if (!(isReadable(table, values) && insert(table, values))) unreadableRecords++
      else if (notice) unparsedParts++
      else if (isAltered) damaged.add(String(values[0]))
    }
    unreadableRecords += found?.unreadable ?? 0
  }
  db.exec('COMMIT')
  const isRead = (number: number) => further.has(number) || isInner(pages, number)
  const unreadable = silent.filter((number) => !isRead(number)).length
  return {
    unreadablePages: unreadable + pages.missing,
    pages: pages.count + pages.missing,
    unreadableRecords,
    damaged,
    unparsedParts,
  }
}

/** Returns whether the row was inserted: the schema refuses invalid rows and duplicates. */
function inserter(db: DatabaseSync) {
  const statements = new Map<Table, ReturnType<DatabaseSync['prepare']>>()
  return ({ name, columns }: KnownTable, record: readonly Value[]): boolean => {
    let statement = statements.get(name)
    if (!statement) {
      const names = columns.map((column) => column.name).join(', ')
      statement = db.prepare(`INSERT INTO ${name} (${names}) VALUES (${columns.map(() => '?').join(', ')})`)
      statements.set(name, statement)
    }
    try {
      statement.run(...columns.map((_, i) => record[i] ?? null))
      return true
    } catch (error) {
      if (error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === CONSTRAINT)
        return false
      throw error
    }
  }
}

const CONSTRAINT = 19

function counts(db: DatabaseSync): Salvage['rows'] {
  const rows: Partial<Record<Table, number>> = {}
  for (const { name } of knownTables(db))
    rows[name] = db.prepare(`SELECT count(*) AS rows FROM ${name}`).get()!['rows'] as number
  return rows
}

function sync(file: string): void {
  const descriptor = openSync(file, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
