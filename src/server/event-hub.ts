import type { Clock } from '../core/clock.ts'
import type { ConversationId } from '../core/ids.ts'
import type { SecretMask } from '../core/secrets/mask.ts'
import { watchStore } from '../runtime/ownership/watch-store.ts'
import { Topic } from './event-topic.ts'
import { hasOpenRuns, isDriven } from './left-behind.ts'
import type { Store, DirectoryRuntime } from './directory-runtimes.ts'

interface Open {
  readonly topic: Topic
  readonly directoryRuntime: DirectoryRuntime | undefined
  readonly leave: () => void
}

/** How often to check whether the processes that drive watched conversations are alive. */
const OWNER_MS = 1_000
/** How often to drop unused topics. */
const SWEEP_MS = 10_000

/** Events of watched conversations, and of those that this process drives. */
export class Hub {
  readonly #store: Store
  readonly #clock: Clock
  readonly #secrets: SecretMask | undefined
  readonly #open = new Map<ConversationId, Open>()
  readonly #endWatch: () => void
  #cancelSweep = () => {}
  #cancelOwners = () => {}

  constructor(store: Store, clock: Clock, secrets?: SecretMask) {
    this.#secrets = secrets
    this.#store = store
    this.#clock = clock
    this.#endWatch = watchStore(store, clock, () => this.#look())
    const sweep = () => {
      this.#sweep()
      this.#cancelSweep = clock.after(SWEEP_MS, sweep)
    }
    this.#cancelSweep = clock.after(SWEEP_MS, sweep)
    const owners = () => {
      this.#lookAtOwners()
      this.#cancelOwners = clock.after(OWNER_MS, owners)
    }
    this.#cancelOwners = clock.after(OWNER_MS, owners)
  }

  /** A topic that is up to date. `directoryRuntime`: its event bus; absent if this process cannot drive it. */
  topic(id: ConversationId, directoryRuntime: DirectoryRuntime | undefined): Topic {
    const known = this.#open.get(id)
    known?.leave() // delivers what was about to be emitted
    const topic = known?.topic ?? new Topic(id, this.#store, this.#secrets)
    const leave = directoryRuntime?.subscribe(id, (events) => topic.push(events)) ?? (() => {})
    this.#open.set(id, { topic, directoryRuntime, leave })
    if (!directoryRuntime?.drives(id)) topic.look()
    if (!known) topic.ownedBy(this.#ownership(id, directoryRuntime))
    return topic
  }

  /** The topic of a conversation; undefined without listeners. */
  known(id: ConversationId): Topic | undefined {
    return this.#open.get(id)?.topic
  }

  /** It was deleted. */
  forget(id: ConversationId): void {
    const open = this.#open.get(id)
    this.#open.delete(id)
    open?.leave()
    open?.topic.end()
  }

  close(): void {
    this.#endWatch()
    this.#cancelSweep()
    this.#cancelOwners()
    for (const { leave } of this.#open.values()) leave()
    this.#open.clear()
  }

  #look(): void {
    for (const [id, { topic, directoryRuntime }] of this.#open) {
      if (!this.#store.get('conversations', id)) this.forget(id)
      else if (!directoryRuntime?.drives(id)) topic.follow(this.#clock.now()) // no other process writes what this one drives
    }
  }

  #lookAtOwners(): void {
    for (const [id, { topic, directoryRuntime }] of this.#open)
      if (topic.listeners.size > 0) topic.ownedBy(this.#ownership(id, directoryRuntime))
  }

  /** undefined: nothing is active, or the store cannot tell now. */
  #ownership(id: ConversationId, directoryRuntime: DirectoryRuntime | undefined): boolean | undefined {
    if (directoryRuntime?.drives(id)) return true
    try {
      if (!hasOpenRuns(this.#store, id)) return undefined
      return isDriven({ store: this.#store, clock: this.#clock }, id)
    } catch {
      return undefined
    }
  }

  #sweep(): void {
    for (const [id, { topic, directoryRuntime, leave }] of this.#open) {
      if (topic.listeners.size > 0 || directoryRuntime?.drives(id)) continue
      this.#open.delete(id)
      leave()
    }
  }
}
