import type { BranchId, ConversationId, RunId } from '../../core/ids.ts'
import { bestEffort, ignoreLateRejection } from '../../core/rejections.ts'
import { isStopped } from '../../core/run-status.ts'
import { keepAlive } from '../../exec/keep-alive.ts'
import type { LeaseRow } from '../../store/port.ts'
import { asStartResult, type StartPlan, type StartResult } from '../conversation/start-plan.ts'
import type { RunSetting } from '../context/run-setting.ts'
import { attemptsOver } from '../delegation/continue-run.ts'
import type { LiveConversation } from '../conversation/live-conversation.ts'
import type { Deps } from '../context/deps.ts'
import type { LiveRun, StopReason } from '../run/live-run.ts'
import { checkSpeaker, type SpeakerPorts } from '../authority/check-speaker.ts'
import { requireKeptSandbox, storeSandbox, type ConfinedBy } from '../authority/kept-sandbox.ts'
import { storeMode } from '../authority/mode.ts'
import { cleanUpCalls } from '../recovery/clean-up-calls.ts'
import { leftRuns, recoverConversation, type RecoveryPolicy } from '../recovery/recover-conversation.ts'
import type { RecoveredRun } from '../run/recovered-run.ts'
import { readRunResult, type RunResult } from '../views/run-result.ts'
import type { EndRunPorts } from '../journal/end-run.ts'
import type { DelegationPorts } from '../delegation/startable-agents.ts'
import { aboutRun } from '../delegation/spawn-child.ts'
import { lastSeq } from '../log/stored-events.ts'
import { rollBackStarts } from '../run/roll-back-starts.ts'
import type { CommandInbox } from './command-inbox.ts'
import { driveAll } from './drive-all.ts'

/** A driven run. */
export interface StartedRun {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly runId: RunId
  /** The last `seq` of the conversation before this run. */
  readonly seqBefore: number
  /** Names of its agent's tools. */
  readonly tools: readonly string[]
  /** Runs of an exited process, recovered before this run started. */
  readonly recovered: readonly RecoveredRun[]
  /** Settles when the whole conversation has stopped. Rejects only if the store fails. */
  readonly result: Promise<RunResult>
  /** Stops the whole tree. The first reason stays. */
  stop(verb: StopVerb): void
}

/**
 * `pause`: by a person. `leave`: its program exits or stops driving it; it can resume too. Final: `cancel` by a person,
 * and `end` by a program that must exit at once.
 */
export type StopVerb = 'pause' | 'leave' | 'cancel' | 'end'

export interface Conversations {
  /** Driven conversations: one driver each, so that no branch has two runs at a time. */
  readonly live: Map<ConversationId, LiveConversation>
  readonly commandInbox: CommandInbox
  /** Verbs at work in conversations that this process does not drive. */
  readonly visits: Map<ConversationId, Promise<unknown>>
  /** A stored conversation, ready to be driven. */
  revive(id: ConversationId, where: RunSetting): LiveConversation
}

export type AcquirePorts = Pick<Deps, 'ownership' | 'recorder' | 'store'>
export type RecoverPorts = EndRunPorts & Pick<Deps, 'endOwned' | 'endProcesses' | 'owner' | 'tellUnknown'>
export type StartPorts = AcquirePorts & RecoverPorts & DelegationPorts & SpeakerPorts & ConfinedBy

/** Acquires the conversation, writes the start, and drives it until nothing is left to do. */
export async function startDriving(
  deps: StartPorts,
  conversations: Conversations,
  where: RunSetting,
  plan: StartPlan,
): Promise<StartedRun> {
  const { conversationId, isNew, continues, spoken, write } = plan
  const acquired = await acquireConversation(deps, conversations, where, plan)
  const { live, release } = acquired
  live.isPausedByUser = false
  if (where.budgetUsd !== undefined) live.budget.allow(where.budgetUsd)
  let started: StartResult | undefined
  let hasRecovered = false
  try {
    if (!isNew) await requireKeptSandbox(deps, conversationId)
    if (spoken) checkSpeaker(deps, live, spoken)
    plan.check?.(live)
    const seqBefore = lastSeq(deps.store, conversationId)
    const recovered = isNew ? [] : await recoverAndDrive(deps, acquired, deps.config.recovery)
    hasRecovered = recovered.length > 0
    const last = continues && live.latest(continues)
    if (last) await attemptsOver(live, last)
    await deps.recorder.record(conversationId, (change) => {
      started = asStartResult(write(change, live, recovered))
      storeMode(change, deps, conversationId)
      storeSandbox(change, deps, conversationId)
      live.budget.store(change, conversationId)
      if (isNew) deps.ownership?.acquireIn(change.tx, conversationId)
      for (const run of started.drive) live.publish(run)
    })
    if (!conversations.live.has(conversationId)) conversations.live.set(conversationId, live) // it was idle meanwhile
    const { run, drive } = started!
    where.onStored?.(conversationId)
    driveAll(live, drive)
    return { ...handle(deps, run, live, release), seqBefore, recovered }
  } catch (error) {
    rollBackStarts(deps, live, started?.drive ?? [])
    const left = releaseWhenQuiet(live, release)
    if (hasRecovered || live.isQuiet) await left
    else ignoreLateRejection(left) // the caller that started the remaining work waits for it
    throw error
  }
}

/** A conversation whose lease this process holds. */
export interface AcquiredConversation {
  readonly live: LiveConversation
  /** The previous owner. */
  readonly before: LeaseRow | undefined
  /** Releases the lease once nothing is driven any more. */
  readonly release: () => Promise<void>
}

/** @throws OffshootError `conflict` with the process that drives the conversation. */
export async function acquireConversation(
  deps: AcquirePorts,
  conversations: Conversations,
  where: RunSetting,
  { conversationId: id, isNew }: Pick<StartPlan, 'conversationId' | 'isNew'>,
): Promise<AcquiredConversation> {
  const before = isNew ? undefined : deps.store.get('leases', id)
  if (!isNew) await deps.ownership?.acquire(id)
  for (let work = workIn(conversations, id); work; work = workIn(conversations, id)) await bestEffort(work)
  let live: LiveConversation
  try {
    deps.recorder.forget(id)
    live = driven(conversations, id, where)
  } catch (error) {
    await deps.ownership?.release(id) // an unreadable conversation is not driven
    throw error
  }
  const leave = join(conversations, live)
  const release = async () => {
    await leave()
    await deps.ownership?.release(id)
  }
  return { live, before, release }
}

/** Keeps it driven and answers its commands until all holders have left. */
function join({ live: all, commandInbox }: Conversations, live: LiveConversation): () => Promise<void> {
  live.holders++
  const endCommands = commandInbox.listen(live)
  return async () => {
    await endCommands()
    const isLast = --live.holders === 0
    if (isLast && live.isQuiet && all.get(live.id) === live) all.delete(live.id)
  }
}

/**
 * What must end before this process starts to drive a conversation, so that no other code changes its runs: the
 * shutdown, and a verb on an undriven conversation.
 */
function workIn({ live, visits }: Conversations, id: ConversationId): Promise<unknown> | undefined {
  const known = live.get(id)
  return known?.stopped && !known.isQuiet ? known.quiet() : visits.get(id)
}

/** Work in a conversation, and the lease to release afterwards. */
export interface Visit<T> {
  act(live: LiveConversation): Promise<T>
  release(): Promise<void>
}

/**
 * Runs a verb in a conversation: in the driven one, or in a temporary one. Only one temporary at a time, and nothing
 * starts to drive it meanwhile.
 */
export async function visit<T>(
  conversations: Conversations,
  id: ConversationId,
  where: RunSetting,
  { act, release }: Visit<T>,
): Promise<T> {
  const { live, visits } = conversations
  while (visits.has(id)) await bestEffort(visits.get(id)!)
  const known = live.get(id)
  // what it starts may continue after all others have left
  if (known) return await act(known).finally(joined(conversations, known, release))
  const acting = visitAlone(conversations, id, where, { act, release })
  visits.set(id, acting)
  return await acting
}

async function visitAlone<T>(
  conversations: Conversations,
  id: ConversationId,
  where: RunSetting,
  { act, release }: Visit<T>,
): Promise<T> {
  await Promise.resolve() // registered as a visit first
  let own: LiveConversation | undefined
  try {
    own = conversations.revive(id, where)
    return await act(own)
  } finally {
    conversations.visits.delete(id)
    if (own && !own.isQuiet) {
      conversations.live.set(id, own)
      joined(conversations, own, release)()
    } else await release()
  }
}

/** Joins a conversation; the returned function leaves it once it is idle. */
function joined(
  conversations: Conversations,
  live: LiveConversation,
  release: () => Promise<void>,
): () => void {
  const leave = join(conversations, live)
  return () => ignoreLateRejection(releaseWhenQuiet(live, () => leave().then(release)))
}

function driven(conversations: Conversations, id: ConversationId, where: RunSetting): LiveConversation {
  const known = conversations.live.get(id)
  if (known && !known.stopped) return known
  const live = conversations.revive(id, where)
  conversations.live.set(id, live)
  return live
}

/** Recovers what an exited process left, and drives it. One at a time: the next caller finds it driven. */
export function recoverAndDrive(
  deps: RecoverPorts,
  acquired: Pick<AcquiredConversation, 'live' | 'before'>,
  policy: RecoveryPolicy,
  onRecovered: OnRecovered = () => {},
): Promise<readonly RecoveredRun[]> {
  const { live } = acquired
  const recovering = live.recovered.then(() => recoverLeftRuns(deps, acquired, policy, onRecovered))
  live.recovered = bestEffort(recovering)
  return recovering
}

type OnRecovered = (runs: readonly RecoveredRun[]) => void

async function recoverLeftRuns(
  deps: RecoverPorts,
  { live, before }: Pick<AcquiredConversation, 'live' | 'before'>,
  policy: RecoveryPolicy,
  onRecovered: OnRecovered,
): Promise<readonly RecoveredRun[]> {
  const left = leftRuns(deps, live)
  if (left.length === 0) return []
  if (before && before.owner !== deps.owner) await deps.endOwned(before.owner)
  // the last owner of the lease may not be the process that ran them
  await deps.endProcesses(left.map(({ row }) => row.id))
  await cleanUpCalls(deps, live.setting.workspace, left)
  const recovered = await recoverConversation(deps, live, policy)
  onRecovered(recovered)
  driveAll(
    live,
    recovered.map(({ run }) => run).filter(({ row }) => !isStopped(row.status)),
  )
  return recovered
}

export const STOPS = {
  pause: { verb: 'pause', why: 'user' },
  leave: { verb: 'pause', why: 'restart', keepsAsking: true },
  cancel: { verb: 'cancel', by: 'user' },
  end: { verb: 'cancel', by: 'restart' },
} as const satisfies Record<StopVerb, StopReason>

function handle(
  deps: DelegationPorts & Pick<Deps, 'store'>,
  run: LiveRun,
  live: LiveConversation,
  release: () => Promise<void>,
) {
  const { conversationId, branchId, id: runId } = run.row
  const result = keepAlive(releaseWhenQuiet(live, release)).then(() => readRunResult(deps.store, runId))
  ignoreLateRejection(result)
  const { tools } = aboutRun(deps, run)
  const stop: StartedRun['stop'] = (verb) => live.stop(STOPS[verb])
  return { conversationId, branchId, runId, tools, result, stop }
}

async function releaseWhenQuiet(live: LiveConversation, release: () => Promise<void>): Promise<void> {
  try {
    await live.quiet()
  } finally {
    await release()
  }
}
