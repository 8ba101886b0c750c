import { errorMessage } from '../../src/core/errors.ts'
import type { ConversationId } from '../../src/core/ids.ts'
import { isStopped } from '../../src/core/run-status.ts'
import type { Approval, StoredRun } from '../../src/core/run.ts'
import { NOT_YET } from '../support/not-yet.ts'
import type { VerbCommand } from '../../src/runtime/control/verbs.ts'
import type { Action } from './plan.ts'
import { SimProcess, WHERE } from './process.ts'
import type { Random } from './random.ts'
import { Speech } from './speech.ts'
import { storedOf, type Stored, type World } from './world.ts'

/** The people of a world: they say things, answer what is asked, and stop and continue what they like. */
export class People {
  readonly #world: World
  readonly #random: Random
  readonly #stored: Stored
  readonly #speech: Speech
  readonly #hasBegun = new Set<SimProcess>()
  /** The process that they think is theirs. */
  driver: SimProcess | undefined

  constructor(world: World) {
    this.#world = world
    this.#random = world.random('people')
    this.#stored = storedOf(world)
    this.#speech = new Speech(world)
    for (const { atMs, kind } of world.plan.actions) world.timeline.after(atMs, () => this.#act(kind))
    this.#answerSometimes()
    if (world.traits.has('withdrawn commands')) this.#withdrawSometimes(world.random('withdrawn commands'))
  }

  /** Nobody has begun yet, or what was begun was lost before anybody was told. */
  async begin(process: SimProcess): Promise<void> {
    if (this.#world.traits.has('stops beside recoveries') && !this.#hasBegun.has(process))
      this.#stopLeft(process)
    this.#hasBegun.add(process)
    const begun = this.#stored.count('conversations', {})
    for (let each = begun; each < this.#world.plan.conversations; each++) await this.#speech.begin(process)
  }

  /** Goes on with all that somebody or a restart has paused. */
  continuePaused(): boolean {
    const paused = this.#stored.find('runs', { where: { status: 'paused' } })
    const [run] = paused.filter(
      (each) =>
        this.#isLatest(each) &&
        (each.reason === 'user' || each.reason === 'restart' || each.reason === 'parent'),
    )
    if (!run) return false
    void this.#speech.continue(this.driver!, run)
    return true
  }

  /** A process has ended: what nobody drives may be told something, and hears more once somebody drives it. */
  betweenProcesses(): void {
    const { features } = this.#world.plan
    const random = this.#random
    if (features.has('nested mail')) {
      const open = this.#stored.find('runs', { where: { status: 'running' } })
      const deepest = open.toSorted((a, b) => b.depth - a.depth)[0]
      if (deepest && random.chance(0.6))
        void this.#speech.steer(new SimProcess(this.#world), deepest.conversationId, deepest.branchId)
    }
    if (!features.has('signals')) return
    for (let times = random.between(0, 2); times > 0; times--)
      this.#world.timeline.after(random.between(0, LATER_MS), () => this.#act('message to main'))
  }

  #act(kind: Action | 'message to main'): void {
    const { driver } = this
    const conversation = this.#aConversation()
    if (!conversation) return
    const random = this.#random
    const isThere = driver && !driver.isGone && !driver.isStopped && this.#isOpen(driver)
    const process = isThere && random.chance(0.7) ? driver : new SimProcess(this.#world)
    const runs = this.#stored.find('runs', { where: { conversationId: conversation } })
    const run = random.pick(runs)
    if (!run) return
    this.#world.note('person', () => `${kind} (through ${process.name})`)
    const perform = (command: VerbCommand) => void this.#perform(process, conversation, command)
    switch (kind) {
      case 'say':
        return void this.#speak(process, conversation)
      case 'steer':
        return void this.#speech.steer(process, conversation, run.branchId)
      case 'continue': {
        const latest = random.pick(runs.filter((each) => this.#isLatest(each)))
        return this.#mayDrive(process) ? void this.#speech.continue(process, latest) : undefined
      }
      case 'pay': {
        const latest = random.pick(runs.filter((each) => this.#isLatest(each)))
        const budgetUsd = random.pick([0.3, 1, 2])
        return this.#mayDrive(process) ? void this.#speech.continue(process, latest, budgetUsd) : undefined
      }
      case 'message':
        return this.#mayDrive(process) ? void this.#message(process, run) : undefined
      case 'message to main': {
        const main = runs.find(({ depth }) => depth === 0)
        return main && this.#mayDrive(process) ? void this.#message(process, main) : undefined
      }
      case 'message again':
        return this.#mayDrive(process) ? this.#messageAgain(process, run) : undefined
      case 'fork':
      case 'fork and say': {
        const message = random.pick(
          this.#stored.find('messages', { where: { conversationId: conversation } }),
        )
        if (kind === 'fork') return perform({ verb: 'fork', target: message.id, args: null })
        return this.#mayDrive(process) ? void this.#speech.fork(process, conversation, message.id) : undefined
      }
      case 'spawn':
        return this.#mayDrive(process) ? void this.#speech.spawn(process, conversation) : undefined
      case 'revoke':
        return this.#revoke(process)
      case 'pause all':
        return perform({ verb: 'pause', target: conversation, args: null })
      case 'withdraw': {
        const item = this.#stored.find('inbox', {
          where: { conversationId: conversation, deliveredAt: null, withdrawnAt: null, kind: 'user' },
        })[0]
        return item && perform({ verb: 'inbox.withdraw', target: item.branchId, args: { item: item.id } })
      }
      default:
        return perform({ verb: kind, target: run.branchId, args: null })
    }
  }

  /** Whether something can be asked of it: it may be about to end. */
  #isOpen(process: SimProcess): boolean {
    return !process.isEnding || this.#world.isAll || !NOT_YET.has('second driver')
  }

  /** What begins in a process is driven by it. */
  #mayDrive(process: SimProcess): boolean {
    return process === this.driver || this.#world.plan.features.has('terminals')
  }

  #aConversation(): ConversationId | undefined {
    const all = this.#stored.find('conversations', {})
    return all.length > 1 ? this.#random.pick(all).id : all[0]?.id
  }

  #isLatest({ id, branchId }: StoredRun): boolean {
    return (
      this.#stored.find('runs', { where: { branchId }, orderBy: 'id', descending: true, limit: 1 })[0]?.id ===
      id
    )
  }

  /** As the composers do: what runs is steered, what has paused is continued, what is idle starts. */
  async #speak(process: SimProcess, conversationId: ConversationId): Promise<void> {
    const main = this.#stored.find('runs', {
      where: { conversationId, depth: 0 },
      orderBy: 'id',
      descending: true,
      limit: 1,
    })[0]
    if (main && !isStopped(main.status))
      return await this.#speech.steer(process, conversationId, main.branchId)
    if (this.#mayDrive(process)) await this.#speech.start(process, conversationId)
  }

  async #message(process: SimProcess, { conversationId, branchId }: StoredRun): Promise<void> {
    const mode = this.#random.pick(['steer', 'follow_up', 'follow_up'] as const)
    await this.#speech.message(process, { conversationId, branchId, mode })
  }

  /** With a key, from one process and from another, at the same time or when the first one may have ended over it. */
  #messageAgain(process: SimProcess, { conversationId, branchId }: StoredRun): void {
    const send = this.#speech.repeatable({ conversationId, branchId, mode: 'follow_up' })
    void send(process)
    for (let times = this.#random.between(1, 2); times > 0; times--) {
      const afterMs = this.#random.pick([0, 5, 500, 3_000])
      this.#world.timeline.after(afterMs, () => {
        const { driver } = this
        const isThere = driver && !driver.isGone && !driver.isStopped && this.#isOpen(driver)
        if (isThere) void send(this.#random.chance(0.5) ? driver : new SimProcess(this.#world))
      })
    }
  }

  /** It is about to take up what a process left: some of that is to stop, just before, at the same time or just after. */
  #stopLeft(process: SimProcess): void {
    const random = this.#world.random(`stops of ${process.name}`)
    const open = (['running', 'waiting', 'queued'] as const).flatMap((status) =>
      this.#stored.find('runs', { where: { status } }),
    )
    if (open.length === 0 || random.chance(0.5)) return
    const { conversationId, branchId: target } = random.pick(open)
    const verb = random.pick(['pause', 'interrupt'] as const)
    const stop = () => void this.#perform(process, conversationId, { verb, target, args: null })
    const afterMs = random.pick([0, 0, 1, 5, 30])
    if (random.chance(0.3)) stop()
    else this.#world.timeline.after(afterMs, () => process.isGone || stop())
  }

  #withdrawSometimes(random: Random): void {
    for (let times = random.between(2, 8); times > 0; times--)
      this.#world.timeline.after(random.between(1, 40 * this.#world.plan.paceMs), () => {
        const run = random.pick(this.#stored.find('runs', {}))
        const verbs = [random.pick(WITHDRAWN), random.pick(['continue', 'message'] as const)] as const
        const isThere = run && this.driver && !this.driver.isGone && !this.driver.isStopped
        if (isThere && !this.#world.isCalm)
          void this.#speech.behindWithdrawn(new SimProcess(this.#world), { ...run, mode: 'follow_up' }, verbs)
      })
  }

  #revoke(process: SimProcess): void {
    const grant = this.#random.pick(this.#stored.find('rules', { where: { kind: 'grant' } }))
    if (!grant?.conversationId) return
    this.#world.revoked.push(grant.conversationId)
    void this.#perform(process, grant.conversationId, { verb: 'revoke', target: grant.id, args: null })
  }

  async #perform(process: SimProcess, id: ConversationId, command: VerbCommand): Promise<boolean> {
    return await process.runtime.perform(id, command, WHERE).then(
      () => {
        this.#world.note('person', () => `${command.verb} ${command.target}: done`)
        return !process.isGone
      },
      (error: unknown) => {
        this.#world.note('person', () => `${command.verb} ${command.target}: ${errorMessage(error)}`)
        return false
      },
    )
  }

  /** Approvals, now and then one of them twice. */
  #answerSometimes(): void {
    const random = this.#random
    this.#world.timeline.after(random.between(100, 2_000), () => {
      const { driver } = this
      const asked = this.#stored.find('approvals', { where: { answer: null } })
      if (asked[0] && driver && !driver.isGone && !driver.isStopped) {
        const hasGrants = this.#world.plan.features.has('grants')
        const answer = random.pick(hasGrants ? ANSWERS : (['once', 'once', 'deny'] as const))
        const process = random.chance(0.8) ? driver : new SimProcess(this.#world)
        for (let times = random.chance(0.1) ? 2 : 1; times > 0; times--)
          void this.#answer(process, asked[0], answer)
      }
      this.#answerSometimes()
    })
  }

  async #answer(process: SimProcess, asked: Approval, answer: (typeof ANSWERS)[number]): Promise<void> {
    const { id, conversationId, runId, offered } = asked
    const isWide = answer === 'always' && this.#random.chance(0.3)
    const scope = isWide ? ('project' as const) : ('conversation' as const)
    const args = { answer, by: 'person', scope: answer === 'always' ? scope : undefined } as const
    const isDone = await this.#perform(process, conversationId, { verb: 'approve', target: id, args })
    const pattern = offered?.pattern
    if (!isDone || pattern === undefined || answer === 'once' || answer === 'deny') return
    const at = this.#world.timeline.now
    this.#world.granted.push({ conversationId, runId, answer, scope, pattern, at })
  }
}

const WITHDRAWN = ['continue', 'continue', 'message', 'pause'] as const

const ANSWERS = ['once', 'run', 'always', 'always', 'deny'] as const

/** After the end of a process people come back within this time. */
const LATER_MS = 3_000
