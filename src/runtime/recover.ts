import { sleep } from '../core/clock.ts'
import { OffshootError } from '../core/errors.ts'
import type { ConversationId } from '../core/ids.ts'
import { bounds } from '../core/limits.ts'
import { keepAlive } from '../exec/keep-alive.ts'
import type { Reader } from '../store/port.ts'
import type { Place } from './place.ts'
import { hold, takeUp, type Conversations } from './begin.ts'
import type { LiveConversation } from './conversation.ts'
import type { Deps } from './deps.ts'
import { storeMode } from './mode.ts'
import type { RecoveredRun, RecoveryPolicy } from './recover-conversation.ts'

export interface RecoverOptions extends Place {
  /** Default: as configured. */
  readonly policy?: RecoveryPolicy
}

export interface Recovery {
  /** What was taken, conversation by conversation. */
  readonly runs: readonly RecoveredRun[]
  /** Settles when each of them, and what they started, has ended, is paused or waits for a person. */
  readonly settled: Promise<void>
  /** Leaves what waits for people to whoever recovers it next. This process is expected to end. */
  letGo(): Promise<void>
  /** Stops all that it drives. */
  stop(verb: 'pause' | 'cancel'): void
}

/** Takes up and drives what processes left that are gone, in every conversation of this directory (runtime.md §12). */
export async function recover(
  deps: Deps,
  conversations: Conversations,
  { policy = deps.config.recovery, ...where }: RecoverOptions,
): Promise<Recovery> {
  const taken: Taken[] = []
  for (const id of recoverable(deps, where.workspace.root)) {
    const one = await keepAlive(recoverOne(deps, conversations, where, id, policy))
    if (one) taken.push(one)
  }
  const settled = keepAlive(Promise.all(taken.map(({ live }) => atRest(deps, live))).then(() => {}))
  settled.catch(() => {}) // whoever waits for it gets the error
  return {
    runs: taken.flatMap(({ runs }) => runs),
    settled,
    letGo: async () => void (await Promise.all(taken.map(({ leave }) => leave()))),
    stop(verb) {
      for (const { live } of taken) live.stop(verb === 'pause' ? { verb, why: 'user' } : { verb, by: 'user' })
    },
  }
}

interface Taken {
  readonly live: LiveConversation
  readonly runs: readonly RecoveredRun[]
  readonly leave: () => Promise<void>
}

/** Conversations with runs that have not stopped and that no process drives. */
export function abandoned({ store, ownership }: Pick<Deps, 'store' | 'ownership'>): ConversationId[] {
  const open = ['queued', 'running', 'waiting'] as const
  const ids = new Set(
    open.flatMap((status) => store.find('runs', { where: { status } }).map((run) => run.conversationId)),
  )
  return [...ids].filter((id) => !ownership?.livingOwner(id))
}

/** The directories of what is to be recovered: each has a configuration of its own. */
export function abandonedDirectories(deps: Pick<Deps, 'store' | 'ownership'>): string[] {
  const all = deps.store.find('conversations', {}).filter(({ id }) => isRecoverable(deps, id))
  return [...new Set(all.map(({ directory }) => directory))]
}

function recoverable(deps: Deps, directory: string): ConversationId[] {
  const own = deps.store.find('conversations', { where: { directory }, orderBy: 'id' })
  return own.map(({ id }) => id).filter((id) => isRecoverable(deps, id))
}

function isRecoverable({ store, ownership }: Pick<Deps, 'store' | 'ownership'>, id: ConversationId): boolean {
  return (hasOpenRuns(store, id) || hasMail(store, id)) && !ownership?.livingOwner(id)
}

function hasOpenRuns(store: Reader, conversationId: ConversationId): boolean {
  const open = ['queued', 'running', 'waiting'] as const
  return open.some((status) => store.find('runs', { where: { conversationId, status }, limit: 1 }).length > 0)
}

/** Something waits to be read, perhaps on a branch that nothing wakes any more (domain.md D4). */
function hasMail(store: Reader, conversationId: ConversationId): boolean {
  const where = { conversationId, deliveredAt: null, withdrawnAt: null }
  return store.find('inbox', { where, limit: 1 }).length > 0
}

async function recoverOne(
  deps: Deps,
  conversations: Conversations,
  where: Place,
  id: ConversationId,
  policy: RecoveryPolicy,
): Promise<Taken | undefined> {
  deps.faults.at('recovery.before')
  const held = await hold(deps, conversations, where, id).catch((error: unknown) => {
    if (error instanceof OffshootError && error.code === 'conflict') return undefined // somebody has taken it meanwhile
    throw error
  })
  if (!held) return undefined
  const { live } = held
  let left: Promise<void> | undefined
  const leave = () => (left ??= held.leave())
  try {
    const runs = await takeUp(deps, held, policy)
    await deps.recorder.record(id, (change) => {
      live.budget.store(change, id)
      storeMode(change, deps, id)
    })
    if (policy === 'continue') await live.wakeIdle()
    return { live, runs, leave }
  } finally {
    live.quiet().then(leave, leave)
  }
}

/** Settles when nothing of a conversation goes on without a person. @throws what the store threw. */
async function atRest({ clock }: Pick<Deps, 'clock'>, live: LiveConversation): Promise<void> {
  while (!live.isQuiet && !live.waitsForPeople) await sleep(clock, bounds.watchMs)
  if (live.isQuiet) await live.quiet()
}
