import { parseRun } from '../../core/run-steps.ts'
import type { BranchId, CallId, ConversationId } from '../../core/ids.ts'
import { sleep } from '../../core/clock.ts'
import { bounds } from '../../core/limits.ts'
import { isFinal, isStopped, state } from '../../core/run-status.ts'
import type { Run } from '../../core/run.ts'
import { ignoreLateRejection } from '../../core/rejections.ts'
import { Budget } from '../budget/budget.ts'
import { driveRun } from './drive-run.ts'
import { isOwed } from '../journal/end-run.ts'
import { deliverItems, nextRead, waitingItems } from '../run/inbox.ts'
import {
  ancestorsOf,
  createLiveRun,
  eventScope,
  isBeingCancelled,
  type LiveRun,
  notifyDriven,
  replaceChild,
  runEvent,
  startAtOnce,
  type StopReason,
  stopRun,
} from '../run/live-run.ts'
import type { PartialMessage } from '../run/partial-message.ts'
import { LatestReceipts } from '../run/receipts.ts'
import type { Change } from '../log/recorder.ts'
import type { Deps } from '../context/deps.ts'
import type { RunTree, Scope } from '../context/scope.ts'
import { requestSlot } from '../run/slots.ts'
import { freshFigures } from '../delegation/spawn-child.ts'
import { freshLimits } from '../delegation/run-limits.ts'
import { rollBackStarts } from '../run/roll-back-starts.ts'

interface Driven {
  /** Rejects with the store's error. */
  readonly stopped: Promise<void>
  /** Settles when unread items have been checked too. */
  readonly followed: Promise<void>
}

/**
 * A conversation that this process drives: its runs, and what wakes an idle branch. A branch has at most one active
 * run; input for it waits in its inbox.
 */
export class LiveConversation implements RunTree {
  readonly id: ConversationId
  readonly budget: Budget
  readonly receipts: LatestReceipts
  readonly #scope: Scope
  /** The latest run of each branch. */
  readonly #latest = new Map<BranchId, LiveRun>()
  readonly #active = new Map<LiveRun, Driven>()
  /** Published runs that are not driven yet, with the previous latest run of their branch. */
  readonly #published = new Map<LiveRun, LiveRun | undefined>()
  /** Branches whose next run is being written: it is driven once that is stored. */
  readonly #starting = new Map<BranchId, Promise<void>>()
  #failed: Promise<never> | undefined
  #stop: StopReason | undefined
  /** A person paused all of it: no report wakes anything until somebody continues. */
  isPausedByUser = false
  /** Number of holders: while there is one, this object drives the conversation. */
  holders = 0
  /**
   * Settles when the recovery from another process is done, as far as it has started: people's requests come after it.
   */
  recovered: Promise<unknown> = Promise.resolve()

  /** `runs`: all runs of the conversation so far. */
  constructor(id: ConversationId, scope: Omit<Scope, 'tree'>, runs: readonly Run[]) {
    this.id = id
    this.budget = new Budget(scope.deps.config.limits, runs)
    this.receipts = new LatestReceipts(scope.deps.store, runs)
    this.#scope = { ...scope, tree: this }
  }

  /** Directory and system text of its runs. */
  get setting(): Pick<Scope, 'workspace' | 'systemText'> {
    return this.#scope
  }

  /** Once per attempt: both the start of a run and a call that waits for it may get here. */
  drive(run: LiveRun): Promise<void> {
    if (run.hasDriver) return this.#stopped(run)
    run.hasDriver = true
    this.#published.delete(run)
    this.#latest.set(run.row.branchId, run)
    this.budget.attach(run.held)
    if (this.#stop) stopRun(run, this.#stop) // it arrived after the stop
    notifyDriven(run)
    const stopped = driveRun(this.#scope, run)
    const followed = stopped
      .then(() => this.#wakeAfter(run))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => this.#active.get(run)?.stopped === stopped && this.#active.delete(run))
    this.#active.set(run, { stopped, followed })
    return stopped
  }

  attach(run: LiveRun): Promise<void> {
    const { branchId, status } = run.row
    const starting = this.#latest.get(branchId) === run ? this.#starting.get(branchId) : undefined
    if (starting) return starting.then(() => this.attach(run))
    return run.hasDriver || isStopped(status) ? this.#stopped(run) : this.drive(run)
  }

  #stopped(run: LiveRun): Promise<void> {
    return this.#active.get(run)?.stopped ?? Promise.resolve()
  }

  drives(run: LiveRun): boolean {
    return this.#active.has(run) || (run.parent !== undefined && this.drives(run.parent))
  }

  /** Registers a run as the latest of its branch without driving it. */
  know(run: LiveRun): void {
    this.#latest.set(run.row.branchId, run)
    this.budget.attach(run.held)
  }

  publish(run: LiveRun): void {
    const { branchId } = run.row
    const before = this.#latest.get(branchId)
    if (before === run) return
    this.#published.set(run, before)
    this.#latest.set(branchId, run)
  }

  withdraw(run: LiveRun): void {
    const { branchId } = run.row
    const before = this.#published.get(run)
    if (!this.#published.delete(run) || this.#latest.get(branchId) !== run) return
    if (before) this.#latest.set(branchId, before)
    else this.#latest.delete(branchId)
  }

  latest(branchId: BranchId): LiveRun | undefined {
    return this.#latest.get(branchId)
  }

  below(branchId: BranchId): readonly LiveRun[] {
    const found: LiveRun[] = []
    this.#latest.forEach((run) => isAbove(branchId, run.parent) && found.push(run))
    return found.sort((a, b) => b.row.depth - a.row.depth)
  }

  /**
   * Stops every run, also below finished parents, and wakes none any more. Paused runs below resume with those above.
   */
  stop(reason: StopReason): void {
    this.#stop = reason
    const below: StopReason = reason.verb === 'pause' ? { ...reason, why: 'parent' } : reason
    for (const run of this.#active.keys()) {
      if (!run.parent) stopRun(run, reason)
      else if (!this.#active.has(run.parent)) stopRun(run, below)
    }
  }

  /** Current streaming answers. */
  get partials(): readonly PartialMessage[] {
    return [...this.#active.keys()].flatMap((run) => run.journal?.partial() ?? [])
  }

  get stopped(): boolean {
    return this.#stop !== undefined
  }

  get isQuiet(): boolean {
    return this.#active.size === 0
  }

  /** Starts runs on idle branches whose inbox has items that an exited process left unread (invariant D4). */
  async wakeIdle(): Promise<void> {
    for (const branchId of this.#latest.keys()) await this.#wake(branchId)
  }

  /** Whether nothing continues before a person answers or continues something. */
  get waitsForPeople(): boolean {
    return [...this.#active.keys()].every((run) => this.#waitsForPerson(run))
  }

  /** Settles when no run is active and no unread item can start one. @throws the store's error. */
  async quiet(): Promise<void> {
    while (this.#active.size > 0)
      await Promise.all([...this.#active.values()].map(({ followed }) => followed))
    if (this.#failed) await this.#failed
  }

  #waitsForPerson(run: LiveRun): boolean {
    const { status, reason } = run.row
    if (status !== 'waiting' || this.#works(run)) return false
    if (reason === 'children')
      // without children, or with an answered one, it is about to continue
      return (
        run.awaits.size > 0 && [...run.awaits].every((child) => !isOwed(child) || this.#waitsForPerson(child))
      )
    return reason === 'approval' || reason === 'question'
  }

  /** Another call works beside the waiting one. */
  #works({ row, children }: LiveRun): boolean {
    const { store } = this.#scope.deps
    const asks = (callId: CallId) => store.count('questions', { callId, answeredAt: null }) > 0
    const where = { runId: row.id, status: 'running' } as const
    return store.find('tool_calls', { where }).some(({ id }) => !children.has(id) && !asks(id))
  }

  #fail(error: unknown): void {
    this.#failed ??= Promise.reject(error)
    ignoreLateRejection(this.#failed)
  }

  /** A run has stopped: its own branch may have unread items, and so may the one above. */
  async #wakeAfter(run: LiveRun): Promise<void> {
    await this.#wake(run.row.branchId)
    const above = this.#scope.deps.store.get('branches', run.row.branchId)?.parentBranchId
    if (above) await this.#wake(above)
  }

  /** An idle branch with new items starts to read. */
  async #wake(branchId: BranchId): Promise<void> {
    const { store, clock } = this.#scope.deps
    if (!this.#idle(branchId)) return
    const first = nextRead(waitingItems(store, branchId))[0]
    if (!first) return
    if (first.kind !== 'user') await sleep(clock, bounds.gatherMs)
    const latest = this.#idle(branchId)
    if (!latest) return
    const started = this.#startNext(latest)
    this.#starting.set(branchId, started)
    try {
      await started
    } finally {
      this.#starting.delete(branchId)
    }
  }

  async #startNext(latest: LiveRun): Promise<void> {
    const next = nextRun(this.#scope.deps, this.budget, latest)
    this.budget.attach(next.held)
    const reads = await this.#scope.deps.recorder
      .record(this.id, (change) => {
        const reads = this.#startReading(change, latest, next)
        if (reads) this.publish(next)
        return reads
      })
      .catch((error: unknown) => {
        rollBackStarts(this.#scope.deps, this, [next])
        throw error
      })
    if (reads) void this.drive(adopt(next, latest))
    else this.budget.forget(next.row.id)
  }

  /**
   * The latest run of a branch if it has ended and another may follow. A paused one must be continued; after a cancel,
   * of it or of a run above, somebody must continue or start it.
   */
  #idle(branchId: BranchId): LiveRun | undefined {
    const latest = this.#latest.get(branchId)
    if (!latest || this.#starting.has(branchId) || this.#stop || this.isPausedByUser) return undefined
    if (!isFinal(latest.row.status) || latest.lacksTools) return undefined
    const isCancelled = [latest, ...ancestorsOf(latest)].some(
      (run) => run.row.status === 'cancelled' || isBeingCancelled(run),
    )
    return isCancelled ? undefined : latest
  }

  /** Read in the change that starts the run, so withdrawn items are not read. False: nothing to do. */
  #startReading(change: Change, latest: LiveRun, next: LiveRun): boolean {
    const { deps } = this.#scope
    const { branchId } = next.row
    const items = nextRead(waitingItems(change.tx, branchId))
    const last = change.tx.find('runs', { where: { branchId }, orderBy: 'id', descending: true, limit: 1 })[0]
    // if its end was not stored, the next process that resumes the conversation continues it
    const isOver = last?.id === latest.row.id && isFinal(parseRun(last).status)
    if (items.length === 0 || !isOver) return false
    const granted = requestSlot(deps, next, 'end') === 'granted'
    if (granted) startAtOnce(change, next)
    const about = { from: null, ...deps.scheduler.queued(next.row.id) }
    change.tx.insert('runs', next.row)
    change.event(runEvent(next, granted ? 'run.started' : 'run.queued', change.at, about))
    deliverItems(change, deps.newId, eventScope(next, change.at), items)
    return true
  }
}

/** Whether a run, or one above it, belongs to this branch. */
function isAbove(branchId: BranchId, run: LiveRun | undefined): boolean {
  return run !== undefined && (run.row.branchId === branchId || isAbove(branchId, run.parent))
}

/** The next run of a branch: same agent, model, rules and limits, with its own turns. No call waits for it. */
function nextRun(deps: Pick<Deps, 'clock' | 'config' | 'newId'>, budget: Budget, last: LiveRun): LiveRun {
  const { agent, chain, opened, tools, parent } = last
  const row: Run = {
    ...last.row,
    ...freshFigures,
    ...state.queued,
    limits: freshLimits(deps, budget, last.row, last.agent),
    id: deps.newId('run'),
    originCallId: null,
    background: last.row.depth > 0,
    queuedAt: deps.clock.now(),
    startedAt: null,
  }
  return createLiveRun({ row, agent, chain, opened, tools, parent, call: undefined })
}

/** Replaces the previous run among its parent's children, so that a stop of the parent reaches it. */
function adopt(next: LiveRun, last: LiveRun): LiveRun {
  replaceChild(last, next)
  if (next.parent?.stop) stopRun(next.parent, next.parent.stop) // it arrived after the stop
  return next
}
