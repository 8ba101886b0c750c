import { resolve } from 'node:path'
import type { BasePrompt } from '../core/agent.ts'
import { sleep } from '../core/clock.ts'
import { OffshootError } from '../core/errors.ts'
import { idPrefix, type ConversationId, type RunId } from '../core/ids.ts'
import { bounds } from '../core/limits.ts'
import { bestEffort } from '../core/rejections.ts'
import { chooseModel, type Choice } from '../model/choose.ts'
import type { OwnModels } from '../model/custom-models.ts'
import type { RunSetting } from '../runtime/context/run-setting.ts'
import type { StartedRun } from '../runtime/control/acquire-and-drive.ts'
import type { Composed } from '../runtime/host/compose.ts'
import { requireMessage } from '../runtime/conversation/fork-branch.ts'
import type { Recovery, RecoverOptions } from '../runtime/control/recover.ts'
import type { InboxRow } from '../store/port.ts'
import { resolveId } from '../runtime/views/resolve-id.ts'
import type { VerbAnswers, VerbCommand } from '../runtime/control/verbs.ts'
import type { FeedDeps } from './event-feed.ts'
import { FirstEvents } from '../runtime/log/first-events.ts'
import type { AgentSetting } from './agent.ts'
import { checkText } from './check-options.ts'
import { asCallError, withCallHints } from './call-hint.ts'
import { resultOfMessage, untilRead } from './queued-message.ts'
import { checkContinue, checkFork } from './run-options.ts'
import { createRun, type DrivenRun, type OffshootRun, type RunHost } from './run.ts'

/** State behind the library objects: one runtime, what it drives, and its shutdown. */
export class LibrarySession implements RunHost {
  readonly composed: Composed
  readonly models: OwnModels
  /** For agents in code that do not set it. */
  readonly basePrompt: BasePrompt
  /** Model of the main agents, `provider/model`. */
  readonly model: string
  readonly feedDeps: FeedDeps
  readonly #closing = new AbortController()
  #closed: Promise<void> | undefined
  /** Calls in progress that may still start something. */
  readonly #calls = new Set<Promise<unknown>>()
  readonly #driven = new Map<RunId, DrivenRun>()
  readonly #recoveries: Recovery[] = []
  readonly #settings = new Map<ConversationId, RunSetting>()

  constructor(composed: Composed, { models, basePrompt }: AgentSetting, model: string) {
    this.composed = composed
    this.models = models
    this.basePrompt = basePrompt
    this.model = model
    const { store, clock, ownership, runtime, secrets } = composed
    const { approvals, subscribe } = runtime
    this.feedDeps = { store, clock, ownership, approvals, subscribe, secrets, closed: this.closed }
  }

  get closed(): AbortSignal {
    return this.#closing.signal
  }

  /** @throws OffshootError `closed` */
  checkOpen(): void {
    this.closed.throwIfAborted()
  }

  /** Runs work that `close` waits for. */
  async call<T>(work: () => Promise<T>): Promise<T> {
    this.checkOpen()
    const running = work()
    this.#calls.add(running)
    try {
      return await running
    } catch (error) {
      throw asCallError(error)
    } finally {
      this.#calls.delete(running)
    }
  }

  /** The agents and tools of a conversation, if it has its own. */
  settingOf(id: ConversationId): RunSetting {
    return this.#settings.get(id) ?? this.composed
  }

  keepSetting(id: ConversationId, place: RunSetting): void {
    this.#settings.set(id, place)
  }

  /** The conversation that an id belongs to. @throws OffshootError `not_found` */
  conversationOf(id: string): ConversationId {
    const { store } = this.composed
    const text = checkText(id, 'id')
    if (idPrefix(text) === 'msg') return requireMessage(store, text).conversationId
    const asked =
      (idPrefix(text) === 'apr' ? store.get('approvals', text) : undefined) ??
      (idPrefix(text) === 'que' ? store.get('questions', text) : undefined)
    return asked?.conversationId ?? withCallHints(() => resolveId(store, text)).conversation.id
  }

  /** @throws OffshootError `not_found`; `closed` */
  checkAsk(what: 'approval' | 'question', id: string): void {
    this.checkOpen()
    const rows = what === 'approval' ? ('approvals' as const) : ('questions' as const)
    if (this.composed.store.get(rows, id)) return
    throw new OffshootError('not_found', `there is no ${what} ${id.slice(0, 100)}`, {
      hint: `${rows}.list() lists them`,
    })
  }

  /** Whether a conversation, branch or run with this id exists. */
  knows(id: string): boolean {
    try {
      this.conversationOf(id)
      return true
    } catch (error) {
      const isUnknown =
        error instanceof OffshootError && (error.code === 'not_found' || error.code === 'usage')
      if (isUnknown && typeof id === 'string') return false
      throw error
    }
  }

  perform<V extends VerbCommand>(command: V): Promise<VerbAnswers[V['verb']]> {
    return this.call(async () => {
      const id = this.conversationOf(command.target)
      return await this.composed.runtime.perform(id, command, this.settingOf(id))
    })
  }

  async continue<O>(target: string, text?: string, options?: unknown): Promise<OffshootRun<O>> {
    const { model: named, ...rest } = checkContinue(options)
    if (text !== undefined) checkText(text, 'continue')
    return await this.call(async () => {
      const conversationId = this.conversationOf(target)
      const order = { ...rest, ...(named === undefined ? {} : { model: await this.modelId(named) }) }
      const where = { ...this.settingOf(conversationId), conversationId, target }
      const first = this.firstEvents()
      const onStored = first.follow
      const { started, runId } = await this.composed.runtime.continue({ ...where, text, ...order, onStored })
      return started ? this.drive<O>(started, first) : this.runOf<O>(runId)
    })
  }

  async fork<O>(messageId: string, text: string, options?: unknown): Promise<OffshootRun<O>> {
    const { model, maxTurns, budgetUsd } = checkFork(options)
    const said = checkText(text, 'fork')
    return await this.call(async () => {
      const place = this.settingOf(this.conversationOf(messageId))
      const first = this.firstEvents()
      const started = await this.composed.runtime.fork({
        ...place,
        onStored: first.follow,
        messageId,
        text: said,
        maxTurns,
        budgetUsd,
        ...(model ? { model: await this.modelId(model) } : {}),
        defaultModel: async () => this.model,
      })
      return this.drive<O>(started, first)
    })
  }

  async recover(options: Pick<RecoverOptions, 'policy'>): Promise<readonly OffshootRun[]> {
    return await this.call(async () => {
      const recovery = await this.composed.runtime.recover({ ...this.composed, ...options })
      this.#recoveries.push(recovery)
      return recovery.runs.map(({ run }) => this.runOf(run.row.id))
    })
  }

  /** Registers a started conversation, so that `close` stops it. */
  drive<O>(started: StartedRun, first: FirstEvents): OffshootRun<O> {
    const { runId, result: quiet } = started
    const driven = { ...started, first, quiet, result: resultOfMessage(this.feedDeps, started, quiet) }
    this.#driven.set(runId, driven)
    const forget = () => {
      this.#driven.delete(runId)
      first.end()
    }
    quiet.then(forget, forget)
    const about = this.composed.store.get('runs', started.runId)!
    return createRun<O>(this, about, driven)
  }

  /** The run that reads a queued message. @throws OffshootError `conflict` if no run reads it, `closed`. */
  async readerOf<O>(behind: StartedRun, item: InboxRow): Promise<OffshootRun<O>> {
    const { seqBefore: after, result: quiet, conversationId } = behind
    if (!this.#driven.has(behind.runId)) this.drive(behind, this.firstEvents())
    const first = this.firstEvents()
    const read = await untilRead(this.feedDeps, {
      item,
      after,
      quiet,
      onRead: (since) => first.follow(conversationId, since),
    })
    if (!this.#driven.has(read.runId)) return this.drive<O>({ ...behind, ...read }, first)
    first.end()
    return this.runOf<O>(read.runId)
  }

  firstEvents(): FirstEvents {
    return new FirstEvents(this.feedDeps.subscribe)
  }

  /** Whether a live process drives it, this one or another. */
  isDriven(id: ConversationId): boolean {
    const { ownership } = this.composed
    if (ownership) return ownership.owns(id) || ownership.livingOwner(id) !== undefined
    return [...this.#driven.values()].some(({ conversationId }) => conversationId === id)
  }

  /** @throws OffshootError `not_found` */
  runOf<O>(id: string): OffshootRun<O> {
    this.checkOpen()
    const { store } = this.composed
    const known = idPrefix(checkText(id, 'id')) === 'run' ? store.get('runs', id) : undefined
    if (known) return createRun<O>(this, known, this.#driven.get(known.id))
    throw new OffshootError('not_found', `there is no run ${id.slice(0, 100)}`, {
      hint: 'runs.list({ all: true }) returns every run',
    })
  }

  /** The id of a usable model. @throws OffshootError `usage`, `key`, `config`. */
  async modelId(model: unknown): Promise<string> {
    return await usableModel(this.composed, this.models, model)
  }

  /**
   * Pauses what it drives, waits until that is stored, and releases all leases. Approvals and questions stay open for the
   * program that recovers the run. Never rejects.
   */
  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#closing.abort(
      new OffshootError('closed', 'this Offshoot is closed', { hint: 'call createOffshoot again' }),
    )
    await Promise.allSettled(this.#calls)
    const driven = [...this.#driven.values()]
    for (const each of driven) each.stop('leave')
    await Promise.allSettled(driven.flatMap(({ result, quiet }) => [result, quiet]))
    for (const recovery of this.#recoveries) await bestEffort(endRecovery(this.composed, recovery))
    await release(this.composed)
  }
}

/** Pauses working runs. Runs that wait for a person keep their question for the next process. */
async function endRecovery({ clock }: Composed, { stop, release: letGo }: Recovery): Promise<void> {
  try {
    await Promise.race([stop('leave'), sleep(clock, bounds.killGraceMs * 3)])
  } finally {
    await letGo()
  }
}

/** Ends the child processes and closes the store. Never rejects: the caller could do nothing about it. */
export async function release({ guard, store }: Composed): Promise<void> {
  await bestEffort(guard.close())
  await bestEffort(store.close())
}

/** The model object of the program, the model with this id, or by default the model that the environment offers. */
export async function usableModel(composed: Composed, models: OwnModels, model: unknown): Promise<string> {
  if (model !== undefined && typeof model !== 'string') return models.idOf(model)
  return (await chosenModel(composed, model)).id
}

/** The same, but uses the offline searcher only if asked to. @throws OffshootError `key`. */
export async function languageModel(composed: Composed, models: OwnModels, model: unknown): Promise<string> {
  if (model !== undefined) return await usableModel(composed, models, model)
  const { id, isFallback } = await chosenModel(composed, undefined)
  if (!isFallback) return id
  throw new OffshootError('key', 'No model: no provider key is set, and no local Ollama answers.', {
    hint: `Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or pass { model: 'provider/model' } or an AI SDK model to createOffshoot. { model: 'offline' } searches without a language model.`,
  })
}

async function chosenModel(composed: Composed, model: string | undefined): Promise<Choice> {
  const { loaded, env, fetch, runtime } = composed
  const flag = model === undefined ? undefined : absoluteScript(checkText(model, 'model'))
  const choice = await chooseModel({ flag, config: loaded.config, env, fetch })
  await runtime.resolveModel(choice.id)
  return choice
}

const SCRIPTED = 'scripted:'

function absoluteScript(id: string): string {
  return id.startsWith(SCRIPTED) && id !== SCRIPTED ? SCRIPTED + resolve(id.slice(SCRIPTED.length)) : id
}
