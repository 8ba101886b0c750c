import type { MessageId, RunId } from '../../core/ids.ts'
import type { StoredRun } from '../../core/run.ts'
import type { MessageRow } from '../../store/port.ts'
import { groupBy } from '../conversation-rows.ts'
import type { DocumentRows } from '../document-rows.ts'

type Rows = Pick<DocumentRows, 'messages' | 'parts' | 'runs'>

/**
 * In a document of an older program, a run that continued after an ended one counted turns from that one, and so did
 * its limit; all other runs have their own turns. A run's messages give its number of turns, or if they are ambiguous,
 * its limit. Older stores get the same (store/migrations/0012_answers_and_turns.sql). Reports keep their text, because
 * a model has read it.
 */
export function runsWithOwnTurns<T extends Rows>(rows: T): T {
  const seen = turnsSeen(rows)
  const lines = groupBy(
    rows.runs.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    (run) => run.branchId,
  )
  const before = new Map<RunId, number>()
  for (const line of lines.values())
    line.forEach((run, i) => {
      const last = line[i - 1]
      if (last && follows(run, last, seen.get(run.id) ?? NONE)) before.set(run.id, last.turns)
    })
  return { ...rows, runs: rows.runs.map((run) => withoutTurns(run, before.get(run.id) ?? 0)) }
}

function withoutTurns(run: StoredRun, before: number): StoredRun {
  if (before === 0) return run
  const limits = { ...run.limits, maxTurns: run.limits.maxTurns - before }
  return { ...run, turns: run.turns - before, limits }
}

/** How many turns the messages of a run can be. */
interface Seen {
  readonly least: number
  readonly most: number
}

const NONE: Seen = { least: 0, most: 0 }

function follows(run: StoredRun, last: StoredRun, { least, most }: Seen): boolean {
  const own = run.turns - last.turns
  if (own < 0 || run.limits.maxTurns <= last.turns) return false
  const mayFollow = own >= least && own <= most
  const mayBeOwn = run.turns >= least && run.turns <= most
  return mayFollow === mayBeOwn ? run.limits.maxTurns > last.limits.maxTurns : mayFollow
}

function turnsSeen({ messages, parts }: Rows): ReadonlyMap<RunId, Seen> {
  const calling = new Set(
    parts.flatMap(({ messageId, part }) => (part.type === 'tool-call' ? [messageId] : [])),
  )
  const seen = new Map<RunId, Seen>()
  const branches = groupBy(
    messages.toSorted((a, b) => a.position - b.position),
    (row) => row.branchId,
  )
  for (const said of branches.values())
    said.forEach((row, i) => {
      if (row.role !== 'assistant' || row.state !== 'complete' || !row.runId) return
      const { least, most } = seen.get(row.runId) ?? NONE
      const isTurn = !mayConclude(row, said[i - 1], calling)
      seen.set(row.runId, { least: least + (isTurn ? 1 : 0), most: most + 1 })
    })
  return seen
}

/** A conclusion is not a turn: the runtime asks for it, without tools. */
function mayConclude(
  { id, runId }: MessageRow,
  before: MessageRow | undefined,
  calling: ReadonlySet<MessageId>,
): boolean {
  return before?.role === 'user' && before.runId === runId && !calling.has(id)
}
