import type { DatabaseSync } from 'node:sqlite'

export interface Rejoined {
  /** Rows whose parent row is unreadable. */
  readonly dropped: number
  /** Conversations and branches whose own row is lost, recreated from their children. */
  readonly made: number
}

/**
 * Makes all references of salvaged rows valid. Recreates a conversation or branch of which only its own row is lost,
 * clears optional references, and drops rows that are useless without their parent. Active runs become paused: nothing
 * continues by itself with partial knowledge. `isWhole`: everything was readable, so no rule can be missing.
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

/** Without its row, only a branch's messages are known; its runs decide its kind. */
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

/** Its directory is unknown: uses one that does not exist, so that nothing runs in a wrong one. */
const MISSING_CONVERSATIONS = `
  INSERT INTO conversations (id, directory, title, created_at, updated_at)
  SELECT conversation_id,
    coalesce((SELECT directory FROM approvals WHERE approvals.conversation_id = branches.conversation_id LIMIT 1),
      '/directory-not-known'),
    'salvaged', min(created_at), :now
  FROM branches WHERE conversation_id NOT IN (SELECT id FROM conversations) GROUP BY conversation_id`

/** They belong to their message, without a reference in the schema. */
const LOST_CALLS = 'DELETE FROM tool_calls WHERE message_id NOT IN (SELECT id FROM messages)'

const PAUSE = `
  UPDATE runs SET status = 'paused', reason = 'restart', end_reason = 'restart', waiting_for = NULL, pausing = NULL,
    ended_at = :now
  WHERE status IN ('queued', 'running', 'waiting')`

/** A restriction may be lost: nothing can be changed until somebody sets another mode. */
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
  // a rule without its conversation would apply to all
  return rows.map((row) => ({ ...row, isNullable: row.nullable === 1 && row.table !== 'rules' }))
}

/** Number of dropped rows. */
function mend(db: DatabaseSync, { table, column, parent, key, isNullable }: Reference): number {
  const lost = `${column} IS NOT NULL AND ${column} NOT IN (SELECT ${key} FROM ${parent})`
  if (!isNullable) return changes(db, `DELETE FROM ${table} WHERE ${lost}`)
  changes(db, `UPDATE ${table} SET ${column} = NULL WHERE ${lost}`)
  return 0
}

function changes(db: DatabaseSync, sql: string, values: Record<string, number> = {}): number {
  return Number(db.prepare(sql).run(values).changes)
}
