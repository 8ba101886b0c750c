import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { noFaults, type Faults } from '../../core/faults.ts'
import { isEarly, straighten } from './early-schema.ts'
import { corrupt, newer } from './errors.ts'

/**
 * In the order in which they are applied: the version of a database is how many of them it has had. The text of a
 * migration never changes (frozen-migrations.test.ts has their hashes): a new one is added instead.
 */
const MIGRATIONS = [
  '0001_initial.sql',
  '0002_budgets_and_setups.sql',
  '0003_typed_reports.sql',
  '0004_questions_and_grants.sql',
  '0005_receipts.sql',
  '0006_pausing.sql',
  '0007_idempotency.sql',
]

export const SCHEMA_VERSION = MIGRATIONS.length

export interface MigrateOptions {
  readonly faults?: Faults | undefined
  /** Default: the present version. */
  readonly upTo?: number
}

/**
 * Brings a database to the present version, each migration in one transaction. Safe while another process does the same.
 * @throws OffshootError `store_newer`; `store_corrupt` for one that lacks what its version has, which is left as it is.
 */
export function migrate(
  db: DatabaseSync,
  file: string,
  now: () => number,
  { faults = noFaults, upTo = SCHEMA_VERSION }: MigrateOptions = {},
): void {
  const from = schemaVersion(db)
  if (from > 0 && from < upTo) checkOlder(db, file, from)
  for (let version = schemaVersion(db); version !== upTo; version = schemaVersion(db)) {
    if (version > SCHEMA_VERSION) throw newer(file, version, SCHEMA_VERSION)
    applyNext(db, version + 1, now, faults)
  }
}

function checkOlder(db: DatabaseSync, file: string, version: number): void {
  const wanted = new DatabaseSync(':memory:')
  try {
    for (let each = 1; each <= version; each++) wanted.exec(textOf(each))
    if (isEarly(db)) straighten(db, wanted)
    const [lost] = columns(wanted).difference(columns(db))
    if (lost !== undefined) throw corrupt(file, `it is of version ${version} and lacks ${lost}`)
  } finally {
    wanted.close()
  }
}

function columns(db: DatabaseSync): Set<string> {
  const rows = db.prepare(`SELECT t.name || '.' || c.name AS "column"
    FROM pragma_table_list AS t, pragma_table_info(t.name) AS c WHERE t.schema = 'main' AND t.type = 'table'`)
  return new Set(rows.all().map(({ column }) => String(column)))
}

/** How many migrations a database has had: a number in its header. */
export function schemaVersion(db: DatabaseSync): number {
  return db.prepare('PRAGMA user_version').get()!['user_version'] as number
}

function applyNext(db: DatabaseSync, version: number, now: () => number, faults: Faults): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    // another process may have been faster
    if (schemaVersion(db) === version - 1) {
      db.exec(textOf(version))
      db.prepare('INSERT INTO schema_version (version, applied_at) VALUES (?, ?)').run(version, now())
      db.exec(`PRAGMA user_version = ${version}`)
    }
    faults.at('migration.before')
    db.exec('COMMIT')
    faults.at('migration.after')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function textOf(version: number): string {
  return readFileSync(new URL(`../migrations/${MIGRATIONS[version - 1]}`, import.meta.url), 'utf8')
}
