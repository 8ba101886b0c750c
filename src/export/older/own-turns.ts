import type { MessageId, RunId } from '../../core/ids.ts'
import type { StoredRun } from '../../core/run.ts'
import type { MessageRow } from '../../store/port.ts'
import { groupBy } from '../conversation-rows.ts'
import type { DocumentRows } from '../document-rows.ts'

type Rows = Pick<DocumentRows, 'messages' | 'parts' | 'runs'>

/**
 * In a document of an older program, a run that went on after the end of the one before it counted its turns from those
 * of that run, and so did its limit; any other run has turns of its own. The messages of a run say how many turns it had,
 * and where they leave that open, its limit does. The same is done to an older store
 * (store/migrations/0012_answers_and_turns.sql). What a report said of a run stays as it was said: a model has read it.
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

/** A conclusion is no turn: the runtime asks for it, and no tool is offered. */
function mayConclude(
  { id, runId }: MessageRow,
  before: MessageRow | undefined,
  calling: ReadonlySet<MessageId>,
): boolean {
  return before?.role === 'user' && before.runId === runId && !calling.has(id)
}
