import { OffshootError } from '../../core/errors.ts'
import type { ConversationId, RunId } from '../../core/ids.ts'
import { isStopped } from '../../core/run-status.ts'
import { bestEffort, ignoreLateRejection } from '../../core/rejections.ts'
import { systemClock } from '../../exec/system-clock.ts'
import type { StartedRun } from '../../runtime/control/acquire-and-drive.ts'
import type { Composed } from '../../runtime/host/compose.ts'
import { dataHome } from '../../config/homes.ts'
import { waitingItems } from '../../runtime/run/inbox.ts'
import { namedBefore } from '../../runtime/authority/mode.ts'
import { untilChange, watchStore } from '../../runtime/ownership/watch-store.ts'
import { readRunResult } from '../../runtime/views/run-result.ts'
import type { SentMessage } from '../../runtime/control/send-message.ts'
import { Follow } from '../../runtime/log/follow.ts'
import { readEvents } from '../../runtime/log/stored-events.ts'
import type { VerbCommand } from '../../runtime/control/verbs.ts'
import { runningServer } from '../../runtime/ownership/server-file.ts'
import type { Reader } from '../../store/port.ts'
import { writeStderr, type Io } from '../io.ts'
import { askedBefore, printsAsked } from '../terminal/open-asks.ts'
import { showStored, type Watched } from '../terminal/watched-run.ts'

/** Whether the server of this store drives the conversation: it takes messages for it, and has people to ask. */
export function isWithServer(
  { ownership }: Pick<Composed, 'ownership'>,
  id: ConversationId,
  { env }: Pick<Io, 'env'>,
): boolean {
  const owner = ownership?.livingOwner(id)
  const server = owner && runningServer(dataHome(env))
  return server !== undefined && server.pid === owner?.pid && server.pid_start === owner.pidStart
}

/**
 * The run that reads what was said in a server, as a run of this process looks to whoever follows it: its stops are
 * verbs, and its events are what the server stores. Waits until that run has begun.
 * @throws OffshootError `conflict` when the message was withdrawn, or nobody drives the conversation any more.
 */
export async function runInServer(
  sent: SentMessage,
  { conversationId, seqBefore }: Pick<StartedRun, 'conversationId' | 'seqBefore'>,
  composed: Composed,
  io: Io,
): Promise<StartedRun> {
  const { store } = composed
  const begun = readBy(store, conversationId, sent, seqBefore)
  if (!begun) await writeStderr(io, `offshoot: the message is read when ${sent.runId} has ended\n`)
  const printAsked = printsAsked(store, conversationId, io)
  const look = () => {
    printAsked() // the run before it may wait for an answer
    return readBy(store, conversationId, sent, seqBefore)
  }
  const runId = begun ?? (await until(composed, conversationId, look))
  const first = readEvents(store, conversationId, seqBefore).find((event) => event.runId === runId)
  const place = { conversationId, branchId: sent.branchId, runId }
  const from = begun || !first ? seqBefore : first.seq - 1
  return runElsewhere({ ...place, seqBefore: from }, composed, () => isQuiet(store, conversationId))
}

export type PlaceElsewhere = Pick<StartedRun, 'conversationId' | 'branchId' | 'runId' | 'seqBefore'>

/**
 * A run that another process drives, as a run of this process looks to whoever follows it: its stops are verbs, and its
 * events are what the other process stores. `isAllDone`: whether nothing else that belongs to it runs.
 */
export function runElsewhere(
  { conversationId, branchId, runId, seqBefore }: PlaceElsewhere,
  composed: Composed,
  isAllDone: () => boolean,
): StartedRun {
  const { store, runtime, agents } = composed
  let isStopping = false
  const isOver = () => {
    const run = store.get('runs', runId)
    if (!run) throw deleted(conversationId)
    return (isStopped(run.status) && (isStopping || isAllDone())) || undefined
  }
  const result = until(composed, conversationId, isOver).then(() => readRunResult(store, runId, 'until said'))
  ignoreLateRejection(result)
  const agent = agents.get(store.get('runs', runId)!.agent)
  return {
    conversationId,
    branchId,
    runId,
    seqBefore,
    tools: agent ? runtime.sheet(agent).tools : [],
    recovered: [],
    result,
    stop(verb) {
      isStopping = true
      const stopped = verb === 'pause' || verb === 'leave' ? 'interrupt' : 'cancel'
      const stopping = send(composed, conversationId, { verb: stopped, target: runId, args: null })
      void bestEffort(stopping) // it may have stopped by itself
    },
  }
}

/** The same runtime, but that it tells and answers what another process drives: all of it since the run began. */
export function watchedElsewhere(composed: Composed, { conversationId, seqBefore }: StartedRun): Watched {
  const { store } = composed
  const follow: Watched['follow'] = (position, show) => {
    const look = () => showStored(position, show)
    look()
    const end = watchStore(store, systemClock, look)
    return () => {
      end()
      look() // what was stored since the last look
    }
  }
  return {
    ...composed,
    mode: namedBefore(store, conversationId) ?? composed.mode,
    keptSandbox: () => undefined, // which that process keeps
    follow,
    askedBefore: () => askedBefore(store, conversationId, seqBefore),
    runtime: {
      subscribe: (id, subscriber) => follow(Follow.after(store, id, seqBefore), subscriber),
      approvals: {
        attend: () => () => {},
        answer: (target, args) => send(composed, conversationId, { verb: 'approve', target, args }),
      },
      questions: {
        answer: (target, args) => send(composed, conversationId, { verb: 'answer', target, args }),
      },
    },
  }
}

async function send(composed: Composed, id: ConversationId, command: VerbCommand): Promise<void> {
  await composed.runtime.perform(id, command, composed)
}

/** The run that has read a message; undefined: it waits. */
function readBy(
  store: Reader,
  id: ConversationId,
  { itemId }: SentMessage,
  after: number,
): RunId | undefined {
  const item = store.get('inbox', itemId)
  if (!item) throw deleted(id)
  if (item.withdrawnAt !== null)
    throw new OffshootError('conflict', 'the message was withdrawn before a run read it')
  if (item.deliveredAt === null) return undefined
  const delivered = readEvents(store, id, after).find(
    (event) => event.type === 'inbox.delivered' && event.itemId === itemId,
  )
  return delivered?.runId ?? undefined
}

function deleted(id: ConversationId): OffshootError {
  return new OffshootError('conflict', `${id} was deleted meanwhile`)
}

/** Whether nothing goes on, and nothing is about to. */
function isQuiet(store: Reader, conversationId: ConversationId): boolean {
  const runs = store.find('runs', { where: { conversationId }, orderBy: 'id' })
  const latest = new Map(runs.map((run) => [run.branchId, run]))
  const wakes = [...latest.values()].some(
    ({ branchId, status }) => status === 'completed' && waitingItems(store, branchId).length > 0,
  )
  return !wakes && runs.every(({ status }) => isStopped(status))
}

/** How often it is looked whether the owner lives. */
const OWNER_MS = 1_000

/** What `look` finds, as soon as what another process writes lets it find something. */
async function until<T>(
  { store, ownership }: Pick<Composed, 'store' | 'ownership'>,
  id: ConversationId,
  look: () => T | undefined,
): Promise<T> {
  for (;;) {
    const version = store.dataVersion()
    const isDriven = ownership?.livingOwner(id) !== undefined // looked at first: what it wrote before it ended counts
    const found = look()
    if (found !== undefined) return found
    if (!isDriven)
      throw new OffshootError('conflict', `no process drives ${id} any more`, {
        hint: 'offshoot recover resumes it',
      })
    await untilChange(store, systemClock, version, OWNER_MS)
  }
}
