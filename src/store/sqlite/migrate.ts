import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { newer } from './errors.ts'

/** In the order in which they are applied: the version of a database is how many of them it has had. */
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
  /** Default: the present version. */
  readonly upTo?: number
}

/** Brings a database to the present version, each migration in one transaction. Safe while another process does the same. */
export function migrate(
  db: DatabaseSync,
  file: string,
  now: () => number,
  { upTo = SCHEMA_VERSION }: MigrateOptions = {},
): void {
  for (let version = schemaVersion(db); version !== upTo; version = schemaVersion(db)) {
    if (version > SCHEMA_VERSION) throw newer(file, version, SCHEMA_VERSION)
    applyNext(db, version + 1, now)
  }
}

/** How many migrations a database has had: a number in its header. */
export function schemaVersion(db: DatabaseSync): number {
  return db.prepare('PRAGMA user_version').get()!['user_version'] as number
}

function applyNext(db: DatabaseSync, version: number, now: () => number): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    // another process may have been faster
    if (schemaVersion(db) === version - 1) {
      db.exec(readFileSync(new URL(`../migrations/${MIGRATIONS[version - 1]}`, import.meta.url), 'utf8'))
      db.prepare('INSERT INTO schema_version (version, applied_at) VALUES (?, ?)').run(version, now())
      db.exec(`PRAGMA user_version = ${version}`)
    }
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
