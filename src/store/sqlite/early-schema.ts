import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

/**
 * The first migration was edited twice before migrations were frozen. The statement that created `events`, which no
 * later migration touched, identifies a database of such an early version: SHA-256 of it.
 */
const EARLY_EVENTS = new Set([
  '73b2550b5ecc6b1f608ffcadfa527f869de74f3fa052be86744bf8e59bf01efa',
  'fd09864b9e7b9b6a92309fff8a2ec8f69611bea5f5f95d70e3f068f163ff1305',
])

/** Whether an early text of the first migration created a database, whatever it has had since. */
export function isEarly(db: DatabaseSync): boolean {
  const sql = db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'events'").get()?.[
    'sql'
  ]
  return typeof sql === 'string' && EARLY_EVENTS.has(createHash('sha256').update(sql).digest('hex'))
}

/**
 * Gives an early database the current schema of its version: recreates each table that differs, with its rows. `wanted`
 * is an empty database of that version. Call it in a transaction, with references switched off.
 */
export function straighten(db: DatabaseSync, wanted: DatabaseSync): void {
  const present = statements(db, 'table')
  for (const [table, sql] of statements(wanted, 'table'))
    if (present.get(table) !== sql) remake(db, { table, sql, columns: columnsOf(wanted, table) })
  const indices = statements(db, 'index')
  for (const [index, sql] of statements(wanted, 'index')) if (!indices.has(index)) db.exec(sql)
}

interface Remade {
  readonly table: string
  readonly sql: string
  readonly columns: readonly string[]
}

function remake(db: DatabaseSync, { table, sql, columns }: Remade): void {
  const values = columns.map((column) => MOVED[`${table}.${column}`] ?? column)
  db.exec(sql.replace(/^CREATE TABLE \S+/, 'CREATE TABLE straightened'))
  db.exec(`INSERT INTO straightened (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${table}`)
  db.exec(`DROP TABLE ${table}`)
  db.exec(`ALTER TABLE straightened RENAME TO ${table}`)
}

/** What an early database has instead of a column: one event per row, and no acquisition time of a lease. */
const MOVED: Readonly<Record<string, string>> = {
  'events.events': 'json_array(json(event))',
  'leases.taken_at': 'renewed_at',
}

/** The schema's objects by name, without those that SQLite creates itself. */
export function statements(db: DatabaseSync, type: 'table' | 'index'): Map<string, string> {
  const rows = db.prepare('SELECT name, sql FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL').all(type)
  return new Map(rows.map(({ name, sql }) => [String(name), String(sql)]))
}

function columnsOf(db: DatabaseSync, table: string): string[] {
  return db
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name))
}
