import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import type { Clock } from '../core/clock.ts'
import { OffshootError } from '../core/errors.ts'
import type { ConversationId } from '../core/ids.ts'
import { bestEffort, ignoreLateRejection } from '../core/rejections.ts'
import type { StartedRun } from '../runtime/control/acquire-and-drive.ts'
import type { Env } from '../config/homes.ts'
import { readTrusted } from '../trust/read-trust.ts'
import { compose, type Composed, type ComposeOptions, type TestPorts } from '../runtime/host/compose.ts'
import { Ownership } from '../runtime/ownership/leases.ts'
import type { RecoveredRun } from '../runtime/run/recovered-run.ts'
import { leftConversations, type LeftConversation, type Recovery } from '../runtime/control/recover.ts'
import type { Runtime } from '../runtime/host/runtime.ts'
import { createShared, type Shared } from '../runtime/host/slots-and-gates.ts'

export type Store = Composed['store']

/** This process's work in one directory: a runtime with its configuration, and what it drives. */
export class DirectoryRuntime {
  readonly composed: Composed
  readonly subscribe: Runtime['subscribe']
  readonly #leave: () => void
  readonly #driven = new Set<StartedRun>()
  readonly #recoveries: Promise<Recovery>[] = []
  #isEnding = false

  /** Every client with the token can answer approvals, so all conversations are attended. */
  constructor(composed: Composed) {
    this.composed = composed
    this.subscribe = composed.runtime.subscribe
    this.#leave = composed.runtime.approvals.attend()
  }

  get runtime(): Runtime {
    return this.composed.runtime
  }

  drives(id: ConversationId): boolean {
    return this.composed.ownership?.owns(id) ?? false
  }

  /** Registers started work, so that shutdown stops it. */
  drive(started: StartedRun): void {
    this.#driven.add(started)
    if (this.#isEnding) started.stop('leave')
    const forget = () => void this.#driven.delete(started)
    started.result.then(forget, forget)
  }

  async recover(onRecovered: (runs: readonly RecoveredRun[]) => void): Promise<Recovery> {
    const recovering = this.runtime.recover({ ...this.composed, onRecovered })
    this.#recoveries.push(recovering)
    const recovery = await recovering
    if (this.#isEnding) void recovery.stop('leave')
    return recovery
  }

  /** Whether it drives nothing, so that it can be closed. */
  get isIdle(): boolean {
    return this.#driven.size === 0 && (this.composed.ownership?.owned() ?? []).length === 0
  }

  /** Whether the trust of this directory has changed since it was opened. */
  isOutdated(env: Env): boolean {
    const { workspace, trust } = this.composed
    return readTrusted(workspace.root, env).version !== trust.version
  }

  /** Pauses what it drives, including work about to start. */
  pause(): void {
    this.#isEnding = true
    for (const { stop } of this.#driven) stop('leave')
    for (const each of this.#recoveries) ignoreLateRejection(each.then(({ stop }) => void stop('leave')))
  }

  /** Pauses what it drives, and stops every child process. Never rejects. */
  async close(): Promise<void> {
    this.#leave()
    this.pause()
    while (this.#driven.size > 0) await Promise.allSettled([...this.#driven].map(({ result }) => result))
    await Promise.allSettled(this.#recoveries.map(endRecovery))
    await bestEffort(this.composed.guard.close())
  }
}

async function endRecovery(recovering: Promise<Recovery>): Promise<void> {
  const { stop, release: letGo } = await recovering
  await stop('leave') // it may have been idle before and resumed since
  await letGo()
}

export interface DirectoryRuntimesOptions extends Pick<ComposeOptions, 'env' | 'tellUnknown'>, TestPorts {
  readonly clock: Clock
  /** Shared by all of them; whoever opened it closes it. */
  readonly store: Store
  /** Runs nothing, but can end what is left of a conversation whose directory is gone. */
  readonly fallback: string
  readonly onWarning: (directory: string, warning: string) => void
}

type Mode = Composed['mode']

/** The directories of this server, each opened on first use. */
export class DirectoryRuntimes {
  /** Conversations being deleted, in which nothing may start, with the number of deletes. */
  readonly #deleting = new Map<ConversationId, number>()
  readonly #options: DirectoryRuntimesOptions
  readonly #open = new Map<string, Promise<DirectoryRuntime>>()
  /** The mode of conversations that start here. */
  readonly #modes = new Map<ConversationId, Mode>()
  readonly #ready = new Map<string, DirectoryRuntime>()
  /** Replaced after a trust change; they continue what they drive. */
  readonly #replaced = new Set<DirectoryRuntime>()
  readonly #shared: Shared

  constructor(options: DirectoryRuntimesOptions) {
    this.#options = options
    this.#shared = createShared(options.clock, options.chance?.random ?? Math.random)
  }

  get store(): Store {
    return this.#options.store
  }

  get env(): Env {
    return this.#options.env
  }

  /** With the current trust. @throws OffshootError `usage` for an unreadable directory, `config`. */
  at(directory: string, mode?: Mode): Promise<DirectoryRuntime> {
    const key = keyOf(directory, mode)
    const ready = this.#ready.get(key)
    if (ready?.isOutdated(this.env)) this.#replace(key, ready)
    const known = this.#open.get(key)
    if (known) return known
    const opened = this.#compose(directory, mode)
    this.#open.set(key, opened)
    opened.then(
      (directoryRuntime) => this.#ready.set(key, directoryRuntime),
      () => this.#open.delete(key), // it may be fixed by the next attempt
    )
    return opened
  }

  /** The runtime of a conversation; if its directory is gone, one that can run nothing. @throws OffshootError */
  async of(id: ConversationId): Promise<DirectoryRuntime> {
    const { directory } = this.#conversation(id)
    const driving = this.#driving(id)
    if (driving) return driving
    return await this.at(isDirectory(directory) ? directory : this.#options.fallback, this.#modes.get(id))
  }

  /** The runtime of a conversation for a new start. @throws OffshootError, also `conflict` if its directory is gone. */
  async ofPresentDirectory(id: ConversationId): Promise<DirectoryRuntime> {
    if (this.#deleting.has(id))
      throw new OffshootError('conflict', `${id} is being deleted: nothing new can start in it`)
    const { directory } = this.#conversation(id)
    if (isDirectory(directory)) return await this.of(id)
    throw new OffshootError('conflict', `the directory ${directory} no longer exists: nothing can run in it`)
  }

  /** The runtime of a conversation, if it is open. */
  ready(id: ConversationId): DirectoryRuntime | undefined {
    const key = keyOf(this.#conversation(id).directory, this.#modes.get(id))
    return this.#driving(id) ?? this.#ready.get(key)
  }

  all(): readonly DirectoryRuntime[] {
    return [...this.#ready.values(), ...this.#replaced]
  }

  /** What is to be recovered. */
  left(): readonly LeftConversation[] {
    const { store, clock, processes } = this.#options
    const ownership = new Ownership({ store, clock, owner: randomUUID(), processes })
    return leftConversations({ store, ownership })
  }

  keepMode(id: ConversationId, mode: Mode): void {
    this.#modes.set(id, mode)
  }

  /**
   * The modes in which a conversation is or may be driven: here, by its next turn here, or by the process that drives
   * it, which stores its mode. Another process may have stored a narrower one.
   */
  modesOf(id: ConversationId): readonly (string | null | undefined)[] {
    const stored = this.store.get('conversations', id)?.mode
    return [this.#driving(id)?.composed.mode, this.#modes.get(id), stored]
  }

  /** Pauses everything driven in any of them. */
  pause(): void {
    for (const directoryRuntime of this.all()) directoryRuntime.pause()
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#open.values())
    await Promise.all(this.all().map((directoryRuntime) => directoryRuntime.close()))
  }

  #driving(id: ConversationId): DirectoryRuntime | undefined {
    return this.all().find((directoryRuntime) => directoryRuntime.drives(id))
  }

  /** A request may be using it: it is closed when the next one is replaced. */
  #replace(key: string, directoryRuntime: DirectoryRuntime): void {
    for (const each of [...this.#replaced].filter(({ isIdle }) => isIdle)) {
      this.#replaced.delete(each)
      void each.close()
    }
    this.#open.delete(key)
    this.#ready.delete(key)
    this.#replaced.add(directoryRuntime)
  }

  #conversation(id: ConversationId) {
    const known = this.store.get('conversations', id)
    if (known) return known
    throw new OffshootError('not_found', `there is no conversation ${id}`)
  }

  /** From now on nothing starts in a conversation, until each caller has called its returned function. */
  refuseStarts(id: ConversationId): () => void {
    this.#deleting.set(id, (this.#deleting.get(id) ?? 0) + 1)
    return () => {
      const left = this.#deleting.get(id)! - 1
      if (left > 0) this.#deleting.set(id, left)
      else this.#deleting.delete(id)
    }
  }

  async #compose(directory: string, mode: Mode | undefined): Promise<DirectoryRuntime> {
    const { env, clock, network, chance, processes, decorate, store, tellUnknown, onWarning } = this.#options
    const own = { openStore: async () => lent(store), clock, shared: this.#shared }
    const ports = { tellUnknown, network, chance, processes, decorate }
    const composed = await compose({ directory, env, mode, own, ...ports })
    for (const warning of composed.warnings) onWarning(composed.workspace.root, warning)
    return new DirectoryRuntime(composed)
  }
}

function keyOf(directory: string, mode: Mode | undefined): string {
  return `${mode ?? ''} ${directory}`
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** A borrower does not close it. */
function lent(store: Store): Store {
  return {
    get: (table, key) => store.get(table, key),
    find: (table, query) => store.find(table, query),
    count: (table, where) => store.count(table, where),
    tx: (write, options) => store.tx(write, options),
    dataVersion: () => store.dataVersion(),
    close: async () => {},
  }
}
