import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The rows of a store as SQLite gives them: whoever checks the program does not read them with its code. */
export interface Records {
  readonly runs: readonly RunRecord[]
  readonly branches: readonly BranchRecord[]
  readonly calls: readonly CallRecord[]
  readonly approvals: readonly ApprovalRecord[]
  readonly inbox: readonly InboxRecord[]
  readonly parts: readonly PartRecord[]
  readonly messages: readonly MessageRecord[]
  readonly grants: readonly { readonly conversation: string | null; readonly pattern: string }[]
  readonly events: readonly EventRecord[]
  /** What SQLite itself finds wrong. */
  readonly damage: readonly string[]
}

export interface RunRecord {
  readonly id: string
  readonly branch: string
  readonly conversation: string
  readonly agent: string
  readonly parent: string | null
  readonly depth: number
  readonly status: string
  readonly reason: string | null
  readonly attempt: number
  readonly report: string | null
  readonly note: string | null
  readonly error: string | null
  /** JSON. */
  readonly output: string | null
}

export interface BranchRecord {
  readonly id: string
  readonly conversation: string
  readonly parent: string | null
  readonly label: string
  readonly kind: string
}

export interface CallRecord {
  readonly id: string
  readonly run: string
  readonly tool: string
  readonly title: string
  readonly status: string
  readonly repeatable: number
  readonly resultPart: string | null
  /** The input as JSON. */
  readonly input: string
}

export interface ApprovalRecord {
  readonly id: string
  readonly call: string
  readonly answer: string | null
  readonly answeredBy: string | null
  readonly run: string
  readonly conversation: string
  readonly title: string
  readonly requestedAt: number
}

export interface InboxRecord {
  readonly id: string
  readonly branch: string
  readonly text: string
  readonly run: string | null
  readonly deliveredAt: number | null
  readonly withdrawnAt: number | null
}

export interface PartRecord {
  readonly id: string
  readonly branch: string
  readonly role: string
  /** JSON. */
  readonly part: string
  /** Of its message in the branch. */
  readonly position: number
  readonly message: string
}

export interface MessageRecord {
  readonly id: string
  readonly run: string | null
  readonly role: string
  readonly state: string
}

export interface EventRecord {
  readonly conversationId: string
  readonly seq: number
  readonly type: string
  readonly at: number
  readonly runId?: string | null
  readonly fromRunId?: string
  /** Of a run, or of the report that was delivered. */
  readonly status?: string
  readonly callId?: string
}

const QUERIES = {
  runs: `SELECT id, branch_id AS branch, conversation_id AS conversation, agent, parent_run_id AS parent, depth, status,
    reason, attempt, report_message_id AS report, report_note AS note, error, output FROM runs ORDER BY id`,
  branches: `SELECT id, conversation_id AS conversation, parent_branch_id AS parent, label, kind FROM branches`,
  calls: `SELECT c.id, c.run_id AS run, c.tool, c.title, c.status, c.repeatable, c.result_part_id AS resultPart,
    p.part AS input FROM tool_calls c JOIN parts p ON p.id = c.part_id`,
  approvals: `SELECT id, call_id AS call, answer, answered_by AS answeredBy, run_id AS run,
    conversation_id AS conversation, title, requested_at AS requestedAt FROM approvals`,
  inbox: `SELECT id, branch_id AS branch, text, from_run_id AS run, delivered_at AS deliveredAt,
    withdrawn_at AS withdrawnAt FROM inbox`,
  parts: `SELECT p.id, m.branch_id AS branch, m.role, p.part, m.position, m.id AS message
    FROM parts p JOIN messages m ON m.id = p.message_id`,
  messages: 'SELECT id, run_id AS run, role, state FROM messages',
  grants: `SELECT conversation_id AS conversation, pattern FROM rules WHERE kind = 'grant'`,
} as const

export function readRecords(database: string): Records {
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5_000 })
  try {
    const rows = (sql: string) => db.prepare(sql).all() as unknown[]
    const read = Object.fromEntries(Object.entries(QUERIES).map(([name, sql]) => [name, rows(sql)]))
    const packed = rows('SELECT conversation_id, seq, events FROM events ORDER BY conversation_id, seq')
    const checks = [...rows('PRAGMA integrity_check'), ...rows('PRAGMA foreign_key_check')]
    const damage = checks.map((row) => Object.values(row as object).join(' ')).filter((text) => text !== 'ok')
    return { ...read, events: (packed as PackedEvents[]).flatMap(unpacked), damage } as unknown as Records
  } finally {
    db.close()
  }
}

/** What a person at another terminal looks at again and again: a part of the records, without a check of the file. */
export function readOpen(database: string): Pick<Records, 'runs' | 'approvals' | 'messages'> {
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5_000 })
  try {
    const rows = <T>(sql: string) => db.prepare(sql).all() as unknown as readonly T[]
    return {
      runs: rows<RunRecord>(QUERIES.runs),
      approvals: rows<ApprovalRecord>(QUERIES.approvals),
      messages: rows<MessageRecord>(QUERIES.messages),
    }
  } finally {
    db.close()
  }
}

interface PackedEvents {
  readonly conversation_id: string
  readonly seq: number
  readonly events: string
}

/** The events of one change are one row; each has the time of the one before it unless it says another. */
function unpacked({ conversation_id: conversationId, seq, events }: PackedEvents): EventRecord[] {
  let at = 0
  return (JSON.parse(events) as EventRecord[]).map((event, i) => {
    at = event.at ?? at
    return { ...event, conversationId, at, seq: seq + i }
  })
}

/** Every row of every table, as text: equal where nobody has written. Leases are left out: whoever has one renews it. */
export function dump(database: string): string {
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5_000 })
  try {
    const tables = db
      .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'leases'`)
      .all()
    return JSON.stringify(
      tables.map(({ name }) => [name, db.prepare(`SELECT * FROM "${String(name)}"`).all()]),
      (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    )
  } finally {
    db.close()
  }
}

/** The lines of the ledger; none while nobody has written one. */
export function ledgerOf(directory: string): string[] {
  return textOf(join(directory, 'ledger')).split('\n').filter(Boolean)
}

export interface LeftProcess {
  readonly key: string
  readonly pid: number
  /** With the pid it names one process for good. */
  readonly startTime: string
}

/** What commands have left in the background, whether it lives or not. */
export function leftProcesses(directory: string): LeftProcess[] {
  const folder = join(directory, 'left')
  return namesIn(folder).flatMap((key) => {
    const [pid, startTime] = textOf(join(folder, key)).trim().split(' ')
    return pid && startTime ? [{ key, pid: Number(pid), startTime }] : []
  })
}

/** On this machine: a process of a cell has another number there than the one it wrote. */
export function livingProcess({ pid, startTime }: LeftProcess): number | undefined {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all.map(Number).find((each) => {
    const fields = textOf(`/proc/${each}/stat`).split(') ').at(-1)!.split(' ')
    return fields[19] === startTime && fields[0] !== 'Z' && innerNumber(each) === pid
  })
}

function innerNumber(pid: number): number {
  return Number(/^NSpid:.*?(\d+)$/m.exec(textOf(`/proc/${pid}/status`))?.[1])
}

export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // it is not there, or not any more
  }
}

/** What is left in the workspace of a file that was being written. */
export function temporaryFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.offshoot-[^/]*\.tmp$/.test(name),
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
