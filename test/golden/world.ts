import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  createMemoryStore,
  openSqliteStore,
  type Offshoot,
  type OffshootEvent,
  type OffshootOptions,
  type OffshootRun,
  type Store,
} from '../../src/index.ts'
import { handClock, scriptedModel, type HandClock, type ScriptInput } from '../../src/testing.ts'
import { TestUser } from '../support/test-user.ts'
import { createIds, openOffshoot, type NewId, type TestOpening } from './inside.ts'
import { stagedModel } from './model.ts'
import { Recording } from './recording.ts'
import { Served } from './served.ts'

export type StoreKind = 'memory' | 'sqlite'

interface OpenOptions extends Omit<OffshootOptions, 'clock' | 'store' | 'directory' | 'env'> {
  readonly script?: ScriptInput['agents']
  /** Which process it is, from 1. */
  readonly process?: number
  /** As if others know the store too: with leases. */
  readonly isShared?: true
  readonly store?: Store
  /** Under which id its model is known, with the price and the window of that. */
  readonly as?: string
}

interface FollowOptions {
  readonly answers?: boolean
  readonly after?: number
}

/** As long in every place where the tests run: lengths of texts are what tokens are estimated by. */
const DIRECTORY_CHARS = 120

/** One conversation's world: a store, a clock that only the scenario moves, ids that count, and what is recorded. */
export class World {
  readonly clock: HandClock = handClock()
  readonly user = new TestUser()
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  readonly recording: Recording
  /** Processes that live, by their number. */
  readonly living = new Set<number>()
  readonly #store: Store
  readonly #opened: Offshoot[] = []
  readonly #feeds: Promise<void>[] = []
  readonly #ids = new Map<number, NewId>()

  private constructor(store: Store, user: TestUser) {
    this.#store = store
    this.user = user
    this.directory = join(user.root, 'w'.repeat(DIRECTORY_CHARS - user.root.length - 1))
    mkdirSync(this.directory)
    this.env = { HOME: user.root, OFFSHOOT_HOME: user.home, XDG_CONFIG_HOME: join(user.root, 'config') }
    this.recording = new Recording([
      [this.directory, '/project'],
      [encodeURIComponent(this.directory), encodeURIComponent('/project')],
      [user.root, '/user'],
    ])
  }

  static async create(kind: StoreKind): Promise<World> {
    const user = new TestUser()
    mkdirSync(user.home, { recursive: true })
    const store =
      kind === 'memory' ? createMemoryStore() : await openSqliteStore({ file: user.database, now: () => 0 })
    return new World(store, user)
  }

  get store(): Store {
    return this.#store
  }

  /** Ids that count, and waits that are never longer than their middle. */
  ports(process = 1): Pick<TestOpening, 'chance' | 'processes'> {
    this.living.add(process)
    const newId = this.#ids.get(process) ?? createIds(this.clock.now, () => bytesOf(process))
    this.#ids.set(process, newId)
    return {
      chance: { newId, random: () => 0.5 },
      processes: {
        self: { host: 'here', bootId: 'boot', pid: process, pidStart: 1 },
        startOf: (pid) => (this.living.has(pid) ? 1 : undefined),
      },
    }
  }

  async open({ script = {}, process = 1, isShared, store = this.#store, as, ...options }: OpenOptions = {}) {
    const model = stagedModel(scriptedModel({ agents: script }, { clock: this.clock }), {
      clock: this.clock,
      as,
    })
    const lent = { ...borrowed(store) }
    const { directory, env, clock } = this
    const offshoot = await openOffshoot(
      { model, prompt: 'workspace', ...options, directory, env, clock, ...(isShared ? { store: lent } : {}) },
      { ...this.ports(process), ...(isShared ? {} : { alone: lent }) },
    )
    this.#opened.push(offshoot)
    return offshoot
  }

  /** Records every event of a run as the library tells it. */
  follow(name: string, run: OffshootRun, options: FollowOptions = {}): OffshootEvent[] {
    const told: OffshootEvent[] = []
    const feed = run.events(options)
    const read = async () => {
      for await (const event of feed) told.push(event)
      this.recording.lines(`feed-${name}.jsonl`, told)
    }
    this.#feeds.push(read())
    return told
  }

  /** Waits for what needs no time. */
  async until(isSo: () => boolean): Promise<void> {
    const end = Date.now() + MAX_WAIT_MS
    while (!isSo()) {
      if (Date.now() > end) throw new Error(`it has not become so: ${isSo.toString()}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await this.clock.settle()
  }

  /** What the server answers about the store as it is now. */
  async look(name: string, ...ids: readonly string[]): Promise<void> {
    await using served = await this.serve()
    for (const id of ids) await served.look(name, id)
  }

  serve(): Promise<Served> {
    return Served.open(this)
  }

  async close(): Promise<void> {
    for (const offshoot of this.#opened) await this.clock.until(offshoot.close())
    await Promise.all(this.#feeds)
  }

  async remove(): Promise<void> {
    await this.#store.close()
    this.user.remove()
  }
}

const MAX_WAIT_MS = 20_000

/** Forty bits that name the process, forty that count. */
function bytesOf(process: number): Uint8Array {
  return Uint8Array.of(0, 0, 0, 0, process, 0, 0, 0, 0, 0)
}

/** Whoever has it does not close it. */
export function borrowed(store: Store): Store {
  return {
    get: store.get.bind(store),
    find: store.find.bind(store),
    count: store.count.bind(store),
    tx: store.tx.bind(store),
    dataVersion: store.dataVersion.bind(store),
    close: async () => {},
  }
}
