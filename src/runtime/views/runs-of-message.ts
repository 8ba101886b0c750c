import type { OffshootEvent } from '../../core/events.ts'
import type { ConversationId, RunId } from '../../core/ids.ts'
import type { StoredRun } from '../../core/run.ts'
import { isStopped } from '../../core/run-status.ts'
import type { Reader } from '../../store/port.ts'
import { unpackEvents } from '../log/stored-events.ts'

/**
 * Reports that arrived while the branch was idle started runs of the same matter; a person's message starts another.
 */
export function followers(
  store: Reader,
  conversationId: ConversationId,
  later: readonly StoredRun[],
  untilSaid: boolean,
): readonly StoredRun[] {
  if (later.length === 0) return []
  const byPerson = new Set<RunId | null>()
  for (const row of store.find('events', { where: { conversationId }, orderBy: 'seq' })) {
    const change = unpackEvents(row)
    for (const event of change)
      if (isAsked(event) || (untilSaid && beginsByMessage(change, event))) byPerson.add(event.runId)
  }
  const end = later.findIndex(({ id }) => byPerson.has(id))
  return end < 0 ? later : later.slice(0, end)
}

/** The runs below these, at any depth. */
export function below(runs: readonly StoredRun[], roots: readonly StoredRun[]): StoredRun[] {
  const tree = new Set<RunId>(roots.map((root) => root.id))
  for (const run of runs) if (run.parentRunId && tree.has(run.parentRunId)) tree.add(run.id)
  return runs.filter((run) => !roots.includes(run) && tree.has(run.id))
}

/** Whether an inbox message started a run, by the run's first event. */
export function isBegunByMessage(store: Reader, { seq, runId, conversationId }: OffshootEvent): boolean {
  const last = { orderBy: 'seq', descending: true, limit: 1, before: seq + 1 } as const
  const [row] = store.find('events', { where: { conversationId }, ...last })
  const change = row ? unpackEvents(row) : []
  return change.some((event) => event.runId === runId && beginsByMessage(change, event))
}

/**
 * Whether a later message started a run on this branch and all work for this one has stopped: its result need not wait
 * for later answers.
 */
export function isFollowedByMessage(store: Reader, runId: RunId): boolean {
  const asked = store.get('runs', runId)
  if (!asked) return false
  const { conversationId, branchId } = asked
  const last = store.find('runs', { where: { branchId }, orderBy: 'id', descending: true, limit: 1 })[0]
  if (!last || last.id === runId) return false
  const runs = store.find('runs', { where: { conversationId }, orderBy: 'id' })
  const later = runs.filter((each) => each.branchId === branchId && each.id > runId)
  const own = followers(store, conversationId, later, true)
  if (own.length === later.length) return false
  const main = [asked, ...own]
  return [...main, ...below(runs, main)].every(({ status }) => isStopped(status))
}

function isAsked(event: OffshootEvent): boolean {
  return 'input' in event && event.type.startsWith('run.')
}

/**
 * It waited until the previous run ended, or arrived too late for it, and is in the change that starts the next run.
 */
function beginsByMessage(change: readonly OffshootEvent[], event: OffshootEvent): boolean {
  if (event.type !== 'inbox.delivered' || event.kind !== 'user') return false
  return event.mode === 'follow_up' || change.some((each) => each.runId === event.runId && isFirst(each))
}

function isFirst(event: OffshootEvent): boolean {
  return (event.type === 'run.started' || event.type === 'run.queued') && event.from === null
}
