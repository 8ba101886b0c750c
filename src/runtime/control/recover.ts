import { sleep } from '../../core/clock.ts'
import { OffshootError } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import { bounds } from '../../core/limits.ts'
import { ignoreLateRejection } from '../../core/rejections.ts'
import { keepAlive } from '../../exec/keep-alive.ts'
import type { Reader } from '../../store/port.ts'
import type { RunSetting } from '../context/run-setting.ts'
import {
  acquireConversation,
  recoverAndDrive,
  STOPS,
  type AcquirePorts,
  type Conversations,
  type RecoverPorts,
  type StopVerb,
} from './acquire-and-drive.ts'
import type { LiveConversation } from '../conversation/live-conversation.ts'
import type { Deps } from '../context/deps.ts'
import { requireKeptSandbox, storeSandbox, type ConfinedBy } from '../authority/kept-sandbox.ts'
import { storeMode } from '../authority/mode.ts'
import { lastSeq } from '../log/stored-events.ts'
import type { RecoveryPolicy } from '../recovery/recover-conversation.ts'
import type { RecoveredRun } from '../run/recovered-run.ts'

export interface RecoverOptions extends RunSetting {
  /** Default: as configured. */
  readonly policy?: RecoveryPolicy
  /** Called for each conversation before its runs resume: they may end the process before the person learns of it. */
  readonly onRecovered?: (runs: readonly RecoveredRun[]) => void
}

export interface Recovery {
  /** The recovered runs, by conversation. */
  readonly runs: readonly RecoveredRun[]
  /** The conversations driven for recovery, each with its previous last `seq`. */
  readonly conversations: readonly TakenConversation[]
  /** Settles when everything in them has ended, is paused or waits for a person. */
  readonly settled: Promise<void>
  /** Leaves runs that wait for people to the next recovery. This process is expected to exit. */
  release(): Promise<void>
  /**
   * Stops everything that it drives, including runs that wait for a person. Settles when nothing is left; never
   * rejects.
   */
  stop(verb: StopVerb): Promise<void>
}

export interface TakenConversation {
  readonly id: ConversationId
  readonly seqBefore: number
}

type RecoverConversationPorts = AcquirePorts & RecoverPorts & ConfinedBy & Pick<Deps, 'namedMode'>

/** Resumes and drives the runs of processes that have exited, in every conversation of this directory. */
export async function recover(
  deps: RecoverConversationPorts,
  conversations: Conversations,
  { policy = deps.config.recovery, onRecovered = () => {}, ...where }: RecoverOptions,
): Promise<Recovery> {
  const recovered: RecoveredConversation[] = []
  for (const { id, directory } of leftConversations(deps)) {
    if (directory !== where.workspace.root) continue
    const one = await keepAlive(recoverOne(deps, conversations, id, { ...where, policy, onRecovered }))
    if (one) recovered.push(one)
  }
  const settled = keepAlive(Promise.all(recovered.map(({ live }) => atRest(deps, live))).then(() => {}))
  ignoreLateRejection(settled)
  return {
    runs: recovered.flatMap(({ runs }) => runs),
    conversations: recovered.map(({ live, seqBefore }) => ({ id: live.id, seqBefore })),
    settled,
    release: async () => void (await Promise.all(recovered.map(({ release }) => release()))),
    async stop(verb) {
      for (const { live } of recovered) live.stop(STOPS[verb])
      await Promise.allSettled(recovered.map(({ live }) => live.quiet()))
    },
  }
}

interface RecoveredConversation {
  readonly seqBefore: number
  readonly live: LiveConversation
  readonly runs: readonly RecoveredRun[]
  readonly release: () => Promise<void>
}

/** Conversations with active runs that no process drives. */
export function abandoned({ store, ownership }: Pick<Deps, 'store' | 'ownership'>): ConversationId[] {
  return [...openConversations(store)].filter((id) => !ownership?.livingOwner(id))
}

export interface LeftConversation {
  readonly id: ConversationId
  readonly directory: string
  /** It contains more than inbox items. */
  readonly hasOpenRuns: boolean
}

/**
 * Conversations that no process drives and that have work: runs, or inbox items that would wake a branch (invariant
 * D4).
 */
export function leftConversations({
  store,
  ownership,
}: Pick<Deps, 'store' | 'ownership'>): LeftConversation[] {
  const open = openConversations(store)
  const mail = store.find('inbox', { where: { deliveredAt: null, withdrawnAt: null } })
  const ids = [...open.union(new Set(mail.map(({ conversationId }) => conversationId)))].toSorted()
  return ids.flatMap((id) => {
    const conversation = ownership?.livingOwner(id) ? undefined : store.get('conversations', id)
    // it may have been deleted in the meantime
    return conversation ? [{ id, directory: conversation.directory, hasOpenRuns: open.has(id) }] : []
  })
}

/** Directories with work to recover: each has its own configuration. */
export function abandonedDirectories(deps: Pick<Deps, 'store' | 'ownership'>): string[] {
  return [...new Set(leftConversations(deps).map(({ directory }) => directory))]
}

function openConversations(store: Reader): Set<ConversationId> {
  const open = ['queued', 'running', 'waiting'] as const
  const runs = open.flatMap((status) => store.find('runs', { where: { status } }))
  return new Set(runs.map(({ conversationId }) => conversationId))
}

async function recoverOne(
  deps: RecoverConversationPorts,
  conversations: Conversations,
  id: ConversationId,
  { policy, onRecovered, ...where }: RunSetting & Required<Pick<RecoverOptions, 'policy' | 'onRecovered'>>,
): Promise<RecoveredConversation | undefined> {
  const acquired = await acquireConversation(deps, conversations, where, {
    conversationId: id,
    isNew: false,
  }).catch((error: unknown) => {
    if (error instanceof OffshootError && error.code === 'conflict') return undefined // another process acquired it in the meantime
    throw error
  })
  if (!acquired) return undefined
  const { live } = acquired
  let left: Promise<void> | undefined
  const release = () => (left ??= acquired.release())
  try {
    const seqBefore = lastSeq(deps.store, id)
    const allowed = await allowedPolicy(deps, id, policy)
    const runs = await recoverAndDrive(deps, acquired, allowed, onRecovered)
    await deps.recorder.record(id, (change) => {
      live.budget.store(change, id)
      storeMode(change, deps, id)
      storeSandbox(change, deps, id)
    })
    if (allowed === 'continue') await live.wakeIdle()
    return { live, runs, release, seqBefore }
  } finally {
    live.quiet().then(release, release)
  }
}

/** Without the sandbox that a conversation keeps, its runs are paused: whoever continues one is told why. */
async function allowedPolicy(
  deps: ConfinedBy,
  id: ConversationId,
  policy: RecoveryPolicy,
): Promise<RecoveryPolicy> {
  try {
    await requireKeptSandbox(deps, id)
    return policy
  } catch (error) {
    if (error instanceof OffshootError && error.code === 'config') return 'pause'
    throw error
  }
}

/** Settles when nothing in a conversation continues without a person. @throws the store's error. */
async function atRest({ clock }: Pick<Deps, 'clock'>, live: LiveConversation): Promise<void> {
  while (!live.isQuiet && !live.waitsForPeople) await sleep(clock, bounds.watchMs)
  if (live.isQuiet) await live.quiet()
}
