import { createAgentRegistry } from '../../src/agents/registry.ts'
import { sleep, type Clock } from '../../src/core/clock.ts'
import { errorMessage } from '../../src/core/errors.ts'
import { createIds } from '../../src/core/ids.ts'
import { configSchema } from '../../src/config/config-schema.ts'
import { Ownership } from '../../src/runtime/ownership/leases.ts'
import type { Recovery } from '../../src/runtime/control/recover.ts'
import type { StartedRun } from '../../src/runtime/control/acquire-and-drive.ts'
import { createRuntime, type Runtime, type RuntimeOptions } from '../../src/runtime/host/runtime.ts'
import { groupCommit } from '../../src/store/group-commit.ts'
import type { Store } from '../../src/store/port.ts'
import { createRegistry } from '../../src/tools/registry.ts'
import { decoratedPorts } from '../support/decorated-ports.ts'
import { decoratedStore } from '../support/decorated-store.ts'
import type { FaultPoint, Faults } from '../support/faults.ts'
import { NOT_YET } from '../support/not-yet.ts'
import { agent } from '../support/runtime-harness.ts'
import { ProcessEngine } from './engine.ts'
import { modelOf } from './model.ts'
import type { Doom, StopAt } from './plan.ts'
import { toolsOf } from './tools.ts'
import { MAX_REPORT_TOKENS, STRICT } from './traits.ts'
import type { World } from './world.ts'

const MAIN = agent('main')
const ORDINARY = [MAIN, agent('worker'), agent('general')]
const SCHEMA = {
  type: 'object',
  properties: { score: { type: 'integer' }, why: { type: 'string' } },
  required: ['score', 'why'],
}
/** Called as the tool `rate`, or by `task`. */
const RATER = agent('rater', {
  inputSchema: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
  outputSchema: SCHEMA,
  exposeAsTool: { name: 'rate' },
})

function agentsOf({ plan, traits }: World) {
  const ordinary = traits.has('strict') ? [MAIN, agent('worker'), STRICT] : ORDINARY
  return createAgentRegistry(plan.features.has('typed') ? [...ordinary, RATER] : ordinary)
}

const RULES = [
  { tool: '*', action: 'allow' as const },
  { tool: 'sign', action: 'ask' as const },
]

export const WHERE = {
  workspace: {
    root: '/w',
    resolve: (path: string) => ({ absolute: `/w/${path}`, relative: path, outside: false, guarded: null }),
  },
  systemText: () => 'You play your part.',
  defaultModel: async () => 'scripted',
}

/** A process of a world: a runtime with a clock, a model, tools and a disk that stand still for ever once it is dead. */
export class SimProcess {
  readonly name: string
  /** Names it among the processes of all worlds of this program: what a program remembers of an owner is of that one. */
  readonly owner: string
  readonly runtime: Runtime
  readonly clock: Clock
  /** As this process sees it. */
  readonly store: Store
  /** Whether it has died: nothing of it touches the world any more. */
  isGone = false
  /** When it was stopped last; undefined: never. */
  stoppedAt: number | undefined
  isStopped = false
  /** It was asked to end: it takes up nothing any more. */
  isEnding = false
  /** How many things people have asked of it that it has not answered. */
  asked = 0
  /** After so many commits one that was asked to end is killed. */
  #commitsLeft = Infinity
  /** What it drives, to be paused when it is asked to end. */
  readonly #driven = new Set<Pick<StartedRun, 'stop' | 'result'>>()
  readonly #recoveries: Recovery[] = []
  readonly #world: World
  readonly #doom: Doom | undefined
  readonly #faults: Faults
  readonly #met = new Map<string, number>()
  /** What was due while it stood still. */
  #late: (() => void)[] = []

  constructor(world: World, doom?: Doom, host = 'here') {
    this.#world = world
    this.#doom = doom
    this.#faults = { off: world.off, at: (point) => this.meet(point) }
    this.name = `p${world.processes.length + 1}`
    this.owner = `${this.name} of world ${world.serial}`
    const { timeline } = world
    this.clock = {
      now: () => timeline.now,
      after: (ms, fn) => {
        let isCancelled = false // also of what was due while it stood still
        const cancel = timeline.after(ms, () => this.#do(() => void (isCancelled || fn())))
        return () => {
          isCancelled = true
          cancel()
        }
      },
    }
    this.store = this.#open(world)
    this.runtime = this.#compose(world, host)
    world.processes.push(this)
    if (doom) this.#await(doom)
  }

  /** It came to a place where it may end or be stopped. */
  meet(point: FaultPoint | 'commit', when?: 'before' | 'after'): void {
    if (this.isEnding && when === 'after' && --this.#commitsLeft === 0) this.die('while it ends')
    if (this.isGone || this.isStopped || this.isEnding || !this.#doom || this.#world.isCalm) return
    const place = when ? `${point}.${when}` : point
    const nth = (this.#met.get(place) ?? 0) + 1
    this.#met.set(place, nth)
    const at = placeOf(this.#doom)
    if (at?.place === place && at.nth === nth) this.#end(this.#doom, `at ${place} number ${nth}`)
  }

  die(why: string): void {
    if (this.isGone) return
    this.isGone = true
    this.isStopped = false
    this.#world.late?.()
    this.#world.note(this.name, () => `dies ${why}`)
  }

  /** Drives whatever is left and whatever comes, until it dies. */
  async live(begin: (process: SimProcess) => Promise<void>): Promise<void> {
    while (!this.isEnding) {
      try {
        await begin(this)
        const recovery = await this.runtime.recover(WHERE)
        this.#recoveries.push(recovery)
        if (this.isEnding) void recovery.stop('leave')
        if (recovery.runs.length > 0)
          this.#world.note(this.name, () => `has recovered ${recovery.runs.length} runs`)
        await recovery.settled
      } catch (error) {
        this.#world.note(this.name, () => `cannot go on: ${errorMessage(error)}`)
      }
      await sleep(this.clock, LOOK_MS)
    }
  }

  /** Takes note of what it drives; of what another process does there is nothing to note. */
  drive(started: StartedRun | undefined): void {
    if (!started) return
    this.#driven.add(started)
    if (this.isEnding) started.stop('leave')
    const forget = () => void this.#driven.delete(started)
    started.result.then(forget, forget)
  }

  /** What `serve` does at SIGTERM: it pauses what it drives, gives it back, and ends; after 8 s it ends as it stands. */
  async #endByItself(where: string): Promise<void> {
    if (!this.#world.isAll && NOT_YET.has('second driver')) while (this.asked > 0) await sleep(this.clock, 1)
    this.isEnding = true
    this.#world.note(this.name, () => `is asked to end ${where}`)
    this.#world.timeline.after(END_MS, () => this.die('8 s after it was asked to end'))
    for (const { stop } of this.#driven) stop('leave')
    while (this.#driven.size > 0) await Promise.allSettled([...this.#driven].map(({ result }) => result))
    for (const { stop, release } of this.#recoveries) {
      await stop('leave')
      await release()
    }
    this.die('as it was asked to')
  }

  #open(world: World): Store {
    const disk = world.random(`delays of ${this.name}`)
    const later = (flush: () => void) =>
      void this.clock.after(disk.between(0, world.isCalm ? 0 : world.plan.disk.delayMs), flush)
    return decoratedStore(groupCommit(new ProcessEngine(world, this), { later }), this.#faults)
  }

  #compose(world: World, host: string): Runtime {
    const random = world.random(`chance of ${this.name}`)
    const { clock, store } = this
    const pid = world.processes.length + 1
    const processes = {
      self: { host, bootId: 'boot', pid, pidStart: pid },
      startOf: (of: number) => (world.processes[of - 1]?.isGone === false || of === pid ? of : undefined),
    }
    const ownership = new Ownership({ store, clock, owner: this.owner, processes })
    const model = modelOf(world, this)
    const ports: RuntimeOptions = {
      store,
      clock,
      newId: createIds(clock.now, random.bytes),
      random: random.next,
      tools: createRegistry(toolsOf(world, this)),
      agents: agentsOf(world),
      resolveModel: async () => model,
      smallModelOf: (id) => id,
      config: configOf(world),
      rootLayers: [{ name: 'rules', rules: RULES }],
      endProcesses: async () => [],
      endOwned: async () => [],
      owner: this.owner,
      ownership,
    }
    const runtime = createRuntime(decoratedPorts(ports, this.#faults))
    if (!world.traits.has('unattended')) runtime.approvals.attend()
    return runtime
  }

  #do(fn: () => void): void {
    if (this.isGone) return
    if (this.isStopped) this.#late.push(fn)
    else fn()
  }

  #await(doom: Doom): void {
    const at = atOf(doom)
    if (at.type !== 'time') return
    this.#world.timeline.after(at.afterMs, () => {
      if (!this.isGone && !this.#world.isCalm) this.#end(doom, `after ${at.afterMs} ms`)
    })
  }

  #end(doom: Doom, where: string): void {
    const { type } = atOf(doom)
    const place = type === 'time' ? 'time' : where.split(' ')[1]!
    if (doom.type === 'signalled') {
      this.#world.count(`signal ${place}`)
      this.#commitsLeft = doom.killedAfter ?? Infinity
      return void this.#endByItself(where)
    }
    if (doom.type !== 'stopped') {
      this.#world.count(`crash ${place}`)
      if (this.#world.traits.has('power cuts')) this.#world.power.failSoon()
      return this.die(where)
    }
    this.#world.count(`stop ${place}`)
    this.isStopped = true
    this.stoppedAt = this.#world.timeline.now
    this.#world.note(this.name, () => `is stopped ${where}, for ${doom.forMs} ms`)
    this.#world.timeline.after(doom.forMs, () => this.#wake())
  }

  #wake(): void {
    if (this.isGone) return
    this.isStopped = false
    this.#world.note(this.name, () => 'wakes')
    for (const fn of this.#late) this.#world.timeline.after(0, () => this.#do(fn))
    this.#late = []
  }
}

/** How often a process looks for what others have left. */
const LOOK_MS = 900
/** After so long a process that was asked to end ends as it stands. */
const END_MS = 8_000

function atOf(doom: Doom): StopAt {
  return doom.type === 'stopped' || doom.type === 'signalled' ? doom.at : doom
}

function placeOf(doom: Doom): { readonly place: string; readonly nth: number } | undefined {
  const at = atOf(doom)
  if (at.type === 'time') return undefined
  return { place: at.type === 'point' ? at.point : `commit.${at.when}`, nth: at.nth }
}

function configOf({ plan, traits }: World) {
  const { maxConcurrent, maxDepth, budgetUsd, maxTokens } = plan
  return configSchema().parse({
    limits: {
      maxConcurrent,
      maxDepth,
      budgetUsd,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      maxTurnsSubagent: 8,
      stallMs: 20_000,
      maxSpawns: 12,
      maxIdenticalCalls: 3,
      ...(traits.has('long reports') ? { maxReportTokens: MAX_REPORT_TOKENS } : {}),
    },
  })
}

export function startOptions(prompt: string) {
  return { ...WHERE, prompt, agent: MAIN, model: 'scripted' }
}
