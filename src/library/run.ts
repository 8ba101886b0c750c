import { OffshootError } from '../core/errors.ts'
import { sleep } from '../core/clock.ts'
import type { OffshootEvent } from '../core/events.ts'
import type { BranchId, ConversationId, RunId } from '../core/ids.ts'
import { bounds } from '../core/limits.ts'
import type { StoredRun } from '../core/run.ts'
import { isStopped } from '../core/run-status.ts'
import { ignoreLateRejection } from '../core/rejections.ts'
import { keepAlive } from '../exec/keep-alive.ts'
import type { StartedRun } from '../runtime/control/acquire-and-drive.ts'
import { readRunResult, type RunResult } from '../runtime/views/run-result.ts'
import type { VerbAnswers, VerbCommand } from '../runtime/control/verbs.ts'
import { EventFeed, type FeedDeps } from './event-feed.ts'
import { eventsOfTree } from './event-filter.ts'
import type { FirstEvents } from '../runtime/log/first-events.ts'
import { checkText } from './check-options.ts'
import { checkEvents, type ContinueOptions, type EventsOptions, type ForkOptions } from './run-options.ts'

/** A run at any depth, with its verbs. After `close`, every verb fails with `closed`. */
export interface OffshootRun<O = unknown> {
  readonly id: RunId
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly agent: string
  /** 0 for a main run. */
  readonly depth: number
  /**
   * Events of the run and everything below it as one flat stream, from its start or after a `seq`, until it stops. Can
   * be called at any time, any number of times. Leaving the loop releases everything. A slow reader blocks nothing; it
   * may lose live events (deltas), never stored ones.
   */
  events(options?: EventsOptions): AsyncIterableIterator<OffshootEvent, undefined, undefined>
  /**
   * Result once the run stops: completed, failed, cancelled or paused; `waiting` if it waited for a person when the
   * program closed. For a run started here, includes what its branch did by itself afterwards. Rejects only if the store
   * fails or no process drives the run any more.
   */
  result(): Promise<Result<O>>
  /** Sends a message that it reads at its next turn. @throws OffshootError `conflict` if it has stopped. */
  steer(text: string): Promise<VerbAnswers['steer']>
  /** Interrupts it: it becomes paused, and its background subagents continue. */
  interrupt(): Promise<VerbAnswers['interrupt']>
  /** Pauses it, and what it waits for, at its next boundary. */
  pause(): Promise<VerbAnswers['pause']>
  /** Cancels it and everything below it. If it has already ended, the result says so. */
  cancel(): Promise<VerbAnswers['cancel']>
  /** Resumes a stopped run; returns the run that does the work. An active run reads the text at its next turn. */
  continue(text?: string, options?: ContinueOptions): Promise<OffshootRun<O>>
  /** Forks at its last message, or at a message of any branch; returns the run there. */
  fork(text: string, options?: ForkOptions): Promise<OffshootRun<O>>
  /**
   * Moves it to the background: its waiting parent continues and gets the report later. @throws OffshootError
   * `conflict` if no agent waits.
   */
  background(): Promise<VerbAnswers['background']>
}

/** Result of a run. `output` is set if its agent has an `outputSchema` that the report satisfies. */
export type Result<O = unknown> = Omit<RunResult, 'output'> & { readonly output?: O }

/** A run that this process started, with the live events for its first reader. */
export interface DrivenRun extends StartedRun {
  readonly first: FirstEvents
  /** Settles when its conversation is idle. */
  readonly quiet: Promise<unknown>
}

type About = Pick<StoredRun, 'id' | 'conversationId' | 'branchId' | 'agent' | 'depth'>

/** What a run needs from the library session. */
export interface RunHost {
  readonly feedDeps: FeedDeps
  /** @throws OffshootError `closed` */
  checkOpen(): void
  /** Whether a process drives the conversation. */
  isDriven(id: ConversationId): boolean
  perform<V extends VerbCommand>(command: V): Promise<VerbAnswers[V['verb']]>
  continue<O>(target: string, text?: string, options?: ContinueOptions): Promise<OffshootRun<O>>
  fork<O>(messageId: string, text: string, options?: ForkOptions): Promise<OffshootRun<O>>
}

/** @throws OffshootError `usage` for an empty text. */
export function steerVerb(target: string, text: string) {
  return { verb: 'steer', target, args: { text: checkText(text, 'steer') } } as const
}

/** `started`: if this process started it. */
export function createRun<O>(host: RunHost, about: About, started?: DrivenRun): OffshootRun<O> {
  const { id, conversationId, branchId, agent, depth } = about
  const perform = <V extends 'interrupt' | 'pause' | 'cancel' | 'background'>(verb: V) =>
    host.perform({ verb, target: id, args: null }) as Promise<VerbAnswers[V]>
  return {
    id,
    conversationId,
    branchId,
    agent,
    depth,
    events: (options) => openFeed(host, about, started, options),
    result: () => (started?.result ?? resultOf(host, about)) as Promise<Result<O>>,
    steer: async (text) => await host.perform(steerVerb(id, text)),
    interrupt: () => perform('interrupt'),
    pause: () => perform('pause'),
    cancel: () => perform('cancel'),
    background: () => perform('background'),
    continue: (text, options) => host.continue<O>(id, text, options),
    async fork(text, { messageId, ...options } = {}) {
      host.checkOpen()
      return await host.fork<O>(messageId ?? lastMessage(host, about), text, options)
    },
  }
}

function openFeed(
  host: RunHost,
  about: About,
  started: DrivenRun | undefined,
  given: EventsOptions | undefined,
): EventFeed {
  host.checkOpen()
  const { answers, signal, after = started?.seqBefore ?? 0 } = checkEvents(given)
  const { conversationId, branchId, id: runId } = about
  return new EventFeed(host.feedDeps, {
    conversationId,
    after,
    first: () => (given?.after === undefined ? started?.first.take() : undefined),
    answers,
    signal,
    wants: eventsOfTree(host.feedDeps.store, { conversationId, branchId, runId, answers }),
    ended: () => (started ? started.result : untilStopped(host, about)),
  })
}

function resultOf(host: RunHost, about: About): Promise<RunResult> {
  const { store } = host.feedDeps
  const result = untilStopped(host, about).then(() => readRunResult(store, about.id, 'alone'))
  ignoreLateRejection(result)
  return result
}

/** Whichever process drives it. @throws OffshootError `conflict` if none does, `closed`, `not_found`. */
async function untilStopped(host: RunHost, { id, conversationId }: About): Promise<void> {
  host.checkOpen()
  const { store, clock, closed } = host.feedDeps
  for (;;) {
    const run = store.get('runs', id)
    if (!run) throw new OffshootError('not_found', `${id} was deleted`)
    if (isStopped(run.status)) return
    if (!host.isDriven(conversationId))
      throw new OffshootError('conflict', `${id} is ${run.status}, and no process drives it`, {
        hint: 'recover() resumes the runs of exited processes',
      })
    await keepAlive(sleep(clock, bounds.watchMs, closed))
  }
}

/** Its last complete message; without one, that of its branch. */
function lastMessage({ feedDeps: { store } }: RunHost, { id, branchId }: About): string {
  const all = store.find('messages', { where: { branchId }, orderBy: 'position', descending: true })
  const whole = all.filter(({ state, role }) => state === 'complete' && role !== 'system')
  const last = whole.find(({ runId }) => runId === id) ?? whole[0]
  if (last) return last.id
  throw new OffshootError('conflict', `${branchId} has no messages yet, so there is none to fork from`)
}
