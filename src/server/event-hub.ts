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

/** How often it is looked whether the processes that drive what somebody looks at live. */
const OWNER_MS = 1_000
/** How often it is looked for what nobody needs any more. */
const SWEEP_MS = 10_000

/** What happens in the conversations that somebody looks at, or that this process drives. */
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

  /**
   * All that has happened by now is told to it. `directoryRuntime`: whose bus tells it; absent where this process cannot drive
   * it.
   */
  topic(id: ConversationId, directoryRuntime: DirectoryRuntime | undefined): Topic {
    const known = this.#open.get(id)
    known?.leave() // hands over what was about to be told
    const topic = known?.topic ?? new Topic(id, this.#store, this.#secrets)
    const leave = directoryRuntime?.subscribe(id, (events) => topic.push(events)) ?? (() => {})
    this.#open.set(id, { topic, directoryRuntime, leave })
    if (!directoryRuntime?.drives(id)) topic.look()
    if (!known) topic.ownedBy(this.#ownership(id, directoryRuntime))
    return topic
  }

  /** Whatever is told of it now; undefined while nobody listens. */
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
      else if (!directoryRuntime?.drives(id)) topic.follow(this.#clock.now()) // what this process drives nobody else writes
    }
  }

  #lookAtOwners(): void {
    for (const [id, { topic, directoryRuntime }] of this.#open)
      if (topic.listeners.size > 0) topic.ownedBy(this.#ownership(id, directoryRuntime))
  }

  /** undefined: nothing in it goes on, or the store cannot say it now. */
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
