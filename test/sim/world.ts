import type { CallId, ConversationId } from '../../src/core/ids.ts'
import type { Mechanism } from '../support/faults.ts'
import { MemoryEngine } from '../../src/store/memory.ts'
import type { Store } from '../../src/store/port.ts'
import type { Plan } from './plan.ts'
import { randomOf, type Random } from './random.ts'
import { Power } from './power.ts'
import type { SimProcess } from './process.ts'
import { Timeline } from './timeline.ts'
import { traitsOf, type Trait } from './traits.ts'
import { Watch } from './watch.ts'
import { Withdrawals } from './withdrawals.ts'

/** What a tool did outside of the store: it stays, whatever becomes of the process. */
export interface Effect {
  readonly callId: CallId
  readonly tool: string
  readonly process: string
  /** When the tool was called, and when the effect was there. */
  readonly calledAt: number
  readonly at: number
}

/** Something that a person said. */
export interface Said {
  /** Stands in its text, and nowhere else. */
  readonly token: string
  readonly how: 'start' | 'steer' | 'continue' | 'message' | 'fork' | 'spawn'
  /** Which of all moments: those of one world are counted. */
  readonly sentAt: number
  /** When the person got an answer: then the input is acknowledged (invariant D1). */
  toldAt: number | undefined
  /** Whether it may be read before what was said earlier, for later. */
  isSteer: boolean
}

/** What a person has allowed for more than one call, or taken back, and was told that it is so. */
export interface Granted {
  readonly conversationId: ConversationId
  readonly runId: string
  readonly answer: 'run' | 'always'
  readonly scope: 'conversation' | 'project'
  readonly pattern: string
  readonly at: number
}

export type Tally = Record<string, number>

export interface WorldOptions {
  /** Mechanisms that are switched off. */
  readonly off?: readonly Mechanism[]
  /** Whether to keep a readable trace. */
  readonly traced?: boolean
  /** Whether the world has, and the checker looks at, what is known to be broken (NOT_YET). */
  readonly all?: boolean
}

let worlds = 0

/** What is there beside the processes: it survives each of them. */
export class World {
  /** Which of the worlds of this program it is. */
  readonly serial = ++worlds
  readonly seed: number
  readonly plan: Plan
  readonly traits: ReadonlySet<Trait>
  readonly timeline = new Timeline(START)
  readonly engine = new MemoryEngine()
  readonly watch: Watch
  readonly power = new Power(this)
  readonly withdrawals = new Withdrawals(this)
  readonly processes: SimProcess[] = []
  readonly effects: Effect[] = []
  readonly said: Said[] = []
  readonly granted: Granted[] = []
  /** Grants that somebody wanted to take back, whether they were told so or not. */
  readonly revoked: string[] = []
  /** The most that people have allowed a conversation to cost, US dollars. */
  readonly allowed = new Map<ConversationId, number>()
  /** Conversations whose id somebody was told. */
  readonly told = new Set<ConversationId>()
  /** How often each fault came. */
  readonly tally: Tally = {}
  /** Mechanisms that are switched off. */
  readonly off: ReadonlySet<Mechanism>
  /** Commits so far, by whomever. */
  commits = 0
  /** Commits what was answered and is not committed yet; only where that is switched off which forbids it. */
  late: (() => void) | undefined
  /** No fault comes any more. */
  isCalm = false
  /** Whether what is known to be broken is checked too. */
  readonly isAll: boolean
  readonly #trace: string[] | undefined
  readonly #names = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  #tokens = 0
  #moments = 0

  constructor(seed: number, plan: Plan, { off = [], traced = false, all = false }: WorldOptions) {
    this.seed = seed
    this.plan = plan
    this.traits = traitsOf(seed)
    this.off = new Set(off)
    this.isAll = all
    this.#trace = traced ? [] : undefined
    this.watch = new Watch(this)
  }

  random(stream: string): Random {
    return randomOf(this.seed, stream)
  }

  /** A word that stands nowhere else. */
  token(kind: string): string {
    return `${kind}#${++this.#tokens}.`
  }

  /** Counts up: of two things that people did or were told, which was first. */
  moment(): number {
    return ++this.#moments
  }

  /** A fault has come. */
  count(fault: string): void {
    this.tally[fault] = (this.tally[fault] ?? 0) + 1
  }

  /** One line of the trace; `who` is a process, or somebody outside. */
  note(who: string, what: () => string): void {
    if (!this.#trace) return
    const seconds = ((this.timeline.now - START) / 1_000).toFixed(3)
    this.#trace.push(`${seconds.padStart(9)} s  ${who.padEnd(8)}${this.#short(what())}`)
  }

  get trace(): readonly string[] {
    return this.#trace ?? []
  }

  /** Ids as a reader tells them apart: run_01ABC... becomes run_1. */
  #short(text: string): string {
    return text.replace(/\b([a-z]{3})_[0-9A-Z]{26}\b/g, (id, prefix: string) => {
      const known = this.#names.get(id)
      if (known) return known
      const count = (this.#counts.get(prefix) ?? 0) + 1
      this.#counts.set(prefix, count)
      this.#names.set(id, `${prefix}_${count}`)
      return `${prefix}_${count}`
    })
  }
}

const START = 1_800_000_000_000

/** What is stored, for whoever looks from outside. */
export type Stored = Pick<Store, 'get' | 'find' | 'count'>

export function storedOf(world: World): Stored {
  return world.engine as unknown as Stored
}
