import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { errorMessage } from '../../core/errors.ts'
import { isEarly, statements, straighten } from './early-schema.ts'
import { corrupt, newer } from './sqlite-errors.ts'

/**
 * In order: the version of a database is the number of applied migrations. The text of a migration never changes
 * (frozen-migrations.test.ts has their hashes): add a new one instead.
 */
const MIGRATIONS = [
  '0001_initial.sql',
  '0002_budgets_and_setups.sql',
  '0003_typed_reports.sql',
  '0004_questions_and_grants.sql',
  '0005_receipts.sql',
  '0006_pausing.sql',
  '0007_idempotency.sql',
  '0008_sums.sql',
  '0009_who_wrote_what.sql',
  '0010_finish_reasons.sql',
  '0011_ask_numbers.sql',
  '0012_answers_and_turns.sql',
  '0013_ends_of_cancels.sql',
  '0014_sandbox_of_approvals.sql',
  '0015_sandbox_of_conversations.sql',
  '0016_numbers.sql',
]

export const SCHEMA_VERSION = MIGRATIONS.length

/** `OFSH`: marks a file as ours (sqlite.org/fileformat2.html#application_id). */
export const APPLICATION_ID = 0x4f465348

export interface MigrateOptions {
  /** Default: the current version. */
  readonly upTo?: number
  /**
   * Called with the version of a complete older database, before anything is changed and while no other process can
   * change it.
   */
  readonly beforeOlder?: (version: number) => void
}

/**
 * Upgrades a database in one transaction, so that no process sees an intermediate version. Safe if several processes do
 * it at once: one upgrades, the others find it done. @throws OffshootError `store_newer`; `store_corrupt` for a
 * database that lacks parts of its version, which is left unchanged.
 */
export function migrate(
  db: DatabaseSync,
  file: string,
  now: () => number,
  { upTo = SCHEMA_VERSION, beforeOlder = () => {} }: MigrateOptions = {},
): void {
  if (checkedVersion(db, file) === upTo) return
  withoutReferences(db, () => {
    db.exec('BEGIN IMMEDIATE')
    try {
      // another process may have been faster
      const version = checkedVersion(db, file)
      if (version > 0 && version < upTo) {
        checkOlder(db, file, version)
        beforeOlder(version)
      }
      applyAll(db, { version, upTo, now })
      db.exec('COMMIT')
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  })
}

function checkedVersion(db: DatabaseSync, file: string): number {
  const version = schemaVersion(db)
  if (version > SCHEMA_VERSION) throw newer(file, version, SCHEMA_VERSION)
  return version
}

interface Applied {
  readonly version: number
  readonly upTo: number
  readonly now: () => number
}

function applyAll(db: DatabaseSync, { version, upTo, now }: Applied): void {
  if (version === 0) db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  else if (isEarly(db)) withEmpty(version, (wanted) => straighten(db, wanted))
  for (let next = version + 1; next <= upTo; next++) {
    db.exec(textOf(next))
    db.prepare('INSERT INTO schema_version (version, applied_at) VALUES (?, ?)').run(next, now())
    db.exec(`PRAGMA user_version = ${next}`)
  }
}

/** Recreating a table drops it first, which would delete rows that refer to it. Has no effect in a transaction. */
function withoutReferences(db: DatabaseSync, work: () => void): void {
  const before = db.prepare('PRAGMA foreign_keys').get()!['foreign_keys'] as number
  db.exec('PRAGMA foreign_keys = OFF')
  try {
    work()
  } finally {
    db.exec(`PRAGMA foreign_keys = ${before}`)
  }
}

/** Read-only: compares with an empty database that has the same tables. */
function checkOlder(db: DatabaseSync, file: string, version: number): void {
  withEmpty(version, (wanted) => {
    const present = isEarly(db) ? straightened(db, file, wanted) : columns(db)
    const [lost] = columns(wanted).difference(present)
    if (lost !== undefined) throw corrupt(file, `it is of version ${version} and lacks ${lost}`)
  })
}

function straightened(db: DatabaseSync, file: string, wanted: DatabaseSync): Set<string> {
  const empty = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  try {
    for (const sql of statements(db, 'table').values()) empty.exec(sql)
    straighten(empty, wanted)
    return columns(empty)
  } catch (error) {
    throw corrupt(file, `its tables are of no version: ${errorMessage(error)}`, error)
  } finally {
    empty.close()
  }
}

/** Calls `work` with an empty database of a version. */
function withEmpty(version: number, work: (empty: DatabaseSync) => void): void {
  const empty = new DatabaseSync(':memory:')
  try {
    for (let each = 1; each <= version; each++) empty.exec(textOf(each))
    work(empty)
  } finally {
    empty.close()
  }
}

function columns(db: DatabaseSync): Set<string> {
  const rows = db.prepare(`SELECT t.name || '.' || c.name AS "column"
    FROM pragma_table_list AS t, pragma_table_info(t.name) AS c WHERE t.schema = 'main' AND t.type = 'table'`)
  return new Set(rows.all().map(({ column }) => String(column)))
}

/** Number of applied migrations, from the header. */
export function schemaVersion(db: DatabaseSync): number {
  return db.prepare('PRAGMA user_version').get()!['user_version'] as number
}

function textOf(version: number): string {
  return readFileSync(new URL(`../migrations/${MIGRATIONS[version - 1]}`, import.meta.url), 'utf8')
}
