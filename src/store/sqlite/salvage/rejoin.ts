import type { DatabaseSync } from 'node:sqlite'

export interface Rejoined {
  /** Rows that were read and hang on one that was not. */
  readonly dropped: number
  /** Conversations and branches whose own row is lost, made anew from what hangs on them. */
  readonly made: number
}

/**
 * Makes all references of salvaged rows hold. A conversation or branch of which only the row itself is lost is made
 * anew; a reference that may be missing is taken away; what cannot stand without what it refers to is dropped. Runs that
 * had not stopped are paused: nothing goes on by itself with half of what it knew.
 * `isWhole`: nothing was unreadable, so that no rule can be lost.
 */
export function rejoin(db: DatabaseSync, now: number, isWhole: boolean): Rejoined {
  db.exec('BEGIN')
  const made = changes(db, MISSING_BRANCHES, { now }) + changes(db, MISSING_CONVERSATIONS, { now })
  let dropped = changes(db, LOST_CALLS)
  for (let before = -1; dropped !== before;) {
    before = dropped
    for (const reference of references(db)) dropped += mend(db, reference)
  }
  changes(db, PAUSE, { now })
  if (!isWhole) changes(db, STRICT)
  db.exec('COMMIT')
  return { made, dropped }
}

/** Without its row a branch has its messages alone; the kind that fits what has run on it. */
const MISSING_BRANCHES = `
  INSERT INTO branches (id, conversation_id, kind, inherit_context, agent, label, created_at, updated_at)
  SELECT lost.id, lost.conversation_id,
    CASE WHEN EXISTS (SELECT 1 FROM branches WHERE conversation_id = lost.conversation_id AND kind = 'main')
      OR EXISTS (SELECT 1 FROM runs WHERE branch_id = lost.id AND depth > 0)
      OR lost.id > first THEN 'subagent' ELSE 'main' END,
    0, coalesce((SELECT agent FROM runs WHERE branch_id = lost.id LIMIT 1), 'main'), 'salvaged', lost.at, :now
  FROM (
    SELECT branch_id AS id, conversation_id, min(created_at) AS at,
      min(branch_id) OVER (PARTITION BY conversation_id) AS first
    FROM messages WHERE branch_id NOT IN (SELECT id FROM branches) GROUP BY branch_id
  ) AS lost`

/** Where it worked is not known: a directory that is not there, so that nothing goes on in a wrong one. */
const MISSING_CONVERSATIONS = `
  INSERT INTO conversations (id, directory, title, created_at, updated_at)
  SELECT conversation_id,
    coalesce((SELECT directory FROM approvals WHERE approvals.conversation_id = branches.conversation_id LIMIT 1),
      '/directory-not-known'),
    'salvaged', min(created_at), :now
  FROM branches WHERE conversation_id NOT IN (SELECT id FROM conversations) GROUP BY conversation_id`

/** They hang on their message, without a reference of the schema. */
const LOST_CALLS = 'DELETE FROM tool_calls WHERE message_id NOT IN (SELECT id FROM messages)'

const PAUSE = `
  UPDATE runs SET status = 'paused', reason = 'restart', end_reason = 'restart', waiting_for = NULL, pausing = NULL,
    ended_at = :now
  WHERE status IN ('queued', 'running', 'waiting')`

/** A restriction may be lost: until somebody names another mode, nothing can be changed. */
const STRICT = "UPDATE conversations SET mode = 'plan'"

interface Reference {
  readonly table: string
  readonly column: string
  readonly parent: string
  readonly key: string
  readonly isNullable: boolean
}

function references(db: DatabaseSync): Reference[] {
  const rows = db
    .prepare(
      `SELECT t.name AS "table", f."from" AS "column", f."table" AS parent, f."to" AS "key", c."notnull" = 0 AS nullable
       FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f, pragma_table_info(t.name) AS c
       WHERE t.schema = 'main' AND c.name = f."from"`,
    )
    .all() as unknown as (Omit<Reference, 'isNullable'> & { nullable: number })[]
  // a rule without its conversation would be one for all of them
  return rows.map((row) => ({ ...row, isNullable: row.nullable === 1 && row.table !== 'rules' }))
}

/** How many rows were dropped. */
function mend(db: DatabaseSync, { table, column, parent, key, isNullable }: Reference): number {
  const lost = `${column} IS NOT NULL AND ${column} NOT IN (SELECT ${key} FROM ${parent})`
  if (!isNullable) return changes(db, `DELETE FROM ${table} WHERE ${lost}`)
  changes(db, `UPDATE ${table} SET ${column} = NULL WHERE ${lost}`)
  return 0
}

function changes(db: DatabaseSync, sql: string, values: Record<string, number> = {}): number {
  return Number(db.prepare(sql).run(values).changes)
}
