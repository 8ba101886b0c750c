import type { BranchId, ConversationId, RunId } from '../../core/ids.ts'
import { bestEffort, ignoreLateRejection } from '../../core/rejections.ts'
import { keepAlive } from '../../exec/keep-alive.ts'
import type { LeaseRow } from '../../store/port.ts'
import { asBegun, type Beginning, type Begun } from '../conversation/beginning.ts'
import type { Place } from '../context/place.ts'
import { attemptsOver } from '../delegation/continue-run.ts'
import type { LiveConversation } from '../conversation/conversation.ts'
import type { Deps } from '../context/deps.ts'
import type { LiveRun, StopReason } from '../run/live-run.ts'
import { storeMode } from '../authority/mode.ts'
import { leftRuns, recoverConversation, type RecoveryPolicy } from '../recovery/recover-conversation.ts'
import type { RecoveredRun } from '../run/recovered-run.ts'
import { reviveConversation } from '../recovery/revive.ts'
import { readRunResult, type RunResult } from '../views/run-result.ts'
import { aboutRun } from '../delegation/spawn.ts'
import { lastSeq } from '../log/stored-events.ts'
import { takeBack } from '../run/take-back.ts'
import type { Desk } from './desk.ts'
import { driveAll } from './drive-all.ts'

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

/** Takes the conversation, writes what is to begin there, and drives it until nothing is left to do. */
export async function begin(
  deps: Deps,
  conversations: Conversations,
  where: Place,
  beginning: Beginning,
): Promise<StartedRun> {
  const { conversationId, isNew, continues, write } = beginning
  const held = await hold(deps, conversations, where, beginning)
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
    driveAll(live, drive)
    return { ...handle(deps, run, live, leave), seqBefore, recovered }
  } catch (error) {
    takeBack(deps, live.budget, begun?.drive ?? [])
    const left = leaveWhenQuiet(live, leave)
    if (tookUp || live.isQuiet) await left
    else ignoreLateRejection(left) // the caller that started what still runs there waits for it
    throw error
  }
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
  { conversationId: id, isNew }: Pick<Beginning, 'conversationId' | 'isNew'>,
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

/** Takes up what a process left that is gone, and drives it. One at a time: what one has taken the next finds driven. */
export function takeUp(
  deps: Deps,
  held: Pick<Held, 'live' | 'before'>,
  policy: RecoveryPolicy,
  onTaken: OnTaken = () => {},
): Promise<readonly RecoveredRun[]> {
  const { live } = held
  const taken = live.takenUp.then(() => takeUpLeft(deps, held, policy, onTaken))
  live.takenUp = bestEffort(taken)
  return taken
}

type OnTaken = (runs: readonly RecoveredRun[]) => void

async function takeUpLeft(
  deps: Deps,
  { live, before }: Pick<Held, 'live' | 'before'>,
  policy: RecoveryPolicy,
  onTaken: OnTaken,
): Promise<readonly RecoveredRun[]> {
  const left = leftRuns(deps, live)
  if (left.length === 0) return []
  deps.faults.at('recovery.taken')
  if (before && before.owner !== deps.owner) await deps.endOwned(before.owner)
  // whoever had the lease last need not be the one that ran them
  await deps.endProcesses(left.map(({ row }) => row.id))
  deps.faults.at('recovery.killed')
  const recovered = await recoverConversation(deps, live, policy)
  deps.faults.at('recovery.after')
  onTaken(recovered)
  driveAll(
    live,
    recovered.filter(({ became }) => became === 'queued').map(({ run }) => run),
  )
  return recovered
}

const STOPS = {
  pause: { verb: 'pause', why: 'user' },
  cancel: { verb: 'cancel', by: 'user' },
} as const satisfies Record<string, StopReason>

function handle(deps: Deps, run: LiveRun, live: LiveConversation, leave: () => Promise<void>) {
  const { conversationId, branchId, id: runId } = run.row
  const result = keepAlive(leaveWhenQuiet(live, leave)).then(() => readRunResult(deps.store, runId))
  ignoreLateRejection(result)
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
