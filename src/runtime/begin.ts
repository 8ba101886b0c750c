import type { AgentRegistry } from '../agents/registry.ts'
import type { BranchId, ConversationId, RunId } from '../core/ids.ts'
import { keepAlive } from '../exec/keep-alive.ts'
import type { LeaseRow } from '../store/port.ts'
import type { Registry } from '../tools/registry.ts'
import type { Beginning, Begun } from './beginning.ts'
import { attemptsOver } from './continue-run.ts'
import type { LiveConversation } from './conversation.ts'
import type { Deps } from './deps.ts'
import type { LiveRun, StopReason } from './live-run.ts'
import { storeMode } from './mode.ts'
import {
  leftRuns,
  recoverConversation,
  type RecoveredRun,
  type RecoveryPolicy,
} from './recover-conversation.ts'
import { reviveConversation } from './revive.ts'
import { readRunResult, type RunResult } from './run-result.ts'
import type { Scope } from './scope.ts'
import { aboutRun } from './spawn.ts'
import { lastSeq } from './stored-events.ts'
import type { Desk } from './verbs/desk.ts'

/** A run that is being driven. */
export interface StartedRun {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly runId: RunId
  /** The last `seq` of the conversation before this run: its events come after it. */
  readonly seqBefore: number
  /** Names of the tools that its agent may call. */
  readonly tools: readonly string[]
  /** What a process left of this conversation that is gone, taken up before this run began. */
  readonly recovered: readonly RecoveredRun[]
  /** Settles when the run and everything else of its conversation has stopped. Rejects only when the store fails. */
  readonly result: Promise<RunResult>
  /** Stops the whole tree: `pause` keeps it resumable, `cancel` is final. The first reason stays. */
  stop(verb: 'pause' | 'cancel'): void
}

export interface Conversations {
  /** Those that are being driven: one driver each, so that no branch has two runs at a time. */
  readonly live: Map<ConversationId, LiveConversation>
  readonly desk: Desk
}

/** What the runs of a conversation work with. */
export interface Place extends Pick<Scope, 'workspace' | 'systemText'> {
  /** Those of this conversation; default: those of the runtime. */
  readonly agents?: AgentRegistry | undefined
  readonly tools?: Registry | undefined
  /** What the conversation may spend while it is driven, US dollars; default: `limits.budgetUsd`. */
  readonly budgetUsd?: number | undefined
}

/** Takes the conversation, writes what is to begin there, and drives it until nothing is left to do. */
export async function begin(
  deps: Deps,
  conversations: Conversations,
  where: Place,
  beginning: Beginning,
): Promise<StartedRun> {
  const { conversationId, isNew, continues, write } = beginning
  const held = await hold(deps, conversations, where, conversationId, isNew)
  const { live, leave } = held
  live.isHeld = false
  if (where.budgetUsd !== undefined) live.budget.allow(where.budgetUsd)
  let begun: Begun | undefined
  let tookUp = false
  try {
    const seqBefore = lastSeq(deps.store, conversationId)
    const recovered = isNew ? [] : await takeUp(deps, held, deps.config.recovery)
    tookUp = recovered.length > 0
    const last = continues && live.latest(continues)
    if (last) await attemptsOver({ tree: live }, last)
    await deps.recorder.record(conversationId, (change) => {
      begun = asBegun(write(change, live, recovered))
      storeMode(change, deps, conversationId)
      live.budget.store(change, conversationId)
      if (isNew) deps.ownership?.takeIn(change.tx, conversationId)
    })
    if (!conversations.live.has(conversationId)) conversations.live.set(conversationId, live) // it was quiet meanwhile
    const { run, drive } = begun!
    for (const each of drive) live.drive(each).catch(() => {}) // the conversation keeps what failed
    return { ...handle(deps, run, live, leave), seqBefore, recovered }
  } catch (error) {
    for (const { row } of begun?.drive ?? []) {
      deps.scheduler.leave(row.id)
      if (!deps.store.get('runs', row.id)) live.budget.forget(row.id)
    }
    const left = leaveWhenQuiet(live, leave)
    if (tookUp || live.isQuiet) await left
    else left.catch(() => {}) // whoever began what still runs there waits for it, and is told
    throw error
  }
}

function asBegun(written: LiveRun | Begun): Begun {
  return 'drive' in written ? written : { run: written, drive: [written] }
}

/** A conversation of which this process has the lease. */
export interface Held {
  readonly live: LiveConversation
  /** Who had the lease before. */
  readonly before: LeaseRow | undefined
  /** Gives it back, once nothing is driven any more. */
  readonly leave: () => Promise<void>
}

/** @throws OffshootError `conflict` that names the process which drives the conversation. */
export async function hold(
  deps: Deps,
  conversations: Conversations,
  where: Place,
  id: ConversationId,
  isNew = false,
): Promise<Held> {
  const before = isNew ? undefined : deps.store.get('leases', id)
  if (!isNew) await deps.ownership?.take(id)
  deps.recorder.forget(id)
  const live = driven(deps, conversations, id, where)
  const endCommands = conversations.desk.attend(live)
  const leave = async () => {
    await endCommands()
    if (live.isQuiet && conversations.live.get(id) === live) conversations.live.delete(id)
    await deps.ownership?.release(id)
  }
  return { live, before, leave }
}

function driven(
  deps: Deps,
  { live: conversations }: Conversations,
  id: ConversationId,
  { workspace, systemText }: Place,
): LiveConversation {
  const known = conversations.get(id)
  if (known && !known.stopped) return known
  const live = reviveConversation({ deps, workspace, systemText }, id)
  conversations.set(id, live)
  return live
}

/** Takes up what a process left that is gone, and drives it. */
export async function takeUp(
  deps: Deps,
  { live, before }: Pick<Held, 'live' | 'before'>,
  policy: RecoveryPolicy,
): Promise<readonly RecoveredRun[]> {
  const left = leftRuns(deps, live)
  if (left.length === 0) return []
  if (before && before.owner !== deps.owner) await deps.endOwned(before.owner)
  // whoever had the lease last need not be the one that ran them
  await Promise.all(left.map(({ row }) => deps.endProcesses(row.id)))
  const recovered = await recoverConversation(deps, live, policy)
  for (const { run, became } of recovered) if (became === 'queued') live.drive(run).catch(() => {}) // kept, as above
  return recovered
}

const STOPS = {
  pause: { verb: 'pause', why: 'user' },
  cancel: { verb: 'cancel', by: 'user' },
} as const satisfies Record<string, StopReason>

function handle(deps: Deps, run: LiveRun, live: LiveConversation, leave: () => Promise<void>) {
  const { conversationId, branchId, id: runId } = run.row
  const result = keepAlive(leaveWhenQuiet(live, leave)).then(() => readRunResult(deps.store, runId))
  result.catch(() => {}) // whoever asks for the result gets the error; nobody asking must not end the process
  const { tools } = aboutRun(deps, run)
  const stop: StartedRun['stop'] = (verb) => live.stop(STOPS[verb])
  return { conversationId, branchId, runId, tools, result, stop }
}

async function leaveWhenQuiet(live: LiveConversation, leave: () => Promise<void>): Promise<void> {
  try {
    await live.quiet()
  } finally {
    await leave()
  }
}
