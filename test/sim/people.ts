import { errorMessage } from '../../src/core/errors.ts'
import type { ConversationId } from '../../src/core/ids.ts'
import { isStopped } from '../../src/core/run-status.ts'
import type { StoredRun } from '../../src/core/run.ts'
import type { VerbCommand } from '../../src/runtime/control/verbs.ts'
import type { Action } from './plan.ts'
import { SimProcess, startOptions, WHERE } from './process.ts'
import type { Random } from './random.ts'
import { storedOf, type Said, type Stored, type World } from './world.ts'

/** The people of a world: they say things, answer what is asked, and stop and continue what they like. */
export class People {
  readonly #world: World
  readonly #random: Random
  readonly #stored: Stored
  /** The process that they think is theirs. */
  driver: SimProcess | undefined

  constructor(world: World) {
    this.#world = world
    this.#random = world.random('people')
    this.#stored = storedOf(world)
    for (const { atMs, kind } of world.plan.actions) world.timeline.after(atMs, () => this.#act(kind))
    this.#answerSometimes()
  }

  /** Nobody has begun yet, or what was begun was lost before anybody was told. */
  async begin(process: SimProcess): Promise<void> {
    if (this.#stored.find('conversations', {}).length > 0) return
    await this.#say(
      'start',
      async (token) => {
        const { conversationId } = await process.runtime.start(startOptions(`go ${token}`))
        if (!process.isGone) this.#world.told.add(conversationId)
      },
      process,
    )
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
    void this.#continue(run, this.driver!)
    return true
  }

  #act(kind: Action): void {
    const { conversation, driver } = this
    if (!conversation) return
    const random = this.#random
    const isThere = driver && !driver.isGone && !driver.isStopped
    const process = isThere && random.chance(0.7) ? driver : new SimProcess(this.#world)
    const runs = this.#stored.find('runs', {})
    const run = random.pick(runs)
    this.#world.note('person', () => `${kind} (through ${process.name})`)
    const perform = (command: VerbCommand) => void this.#perform(process, conversation, command)
    switch (kind) {
      case 'say':
        return void this.#speak(process, conversation)
      case 'steer':
        return void this.#steer(process, conversation, run.branchId)
      case 'continue':
        return void this.#continue(random.pick(runs.filter((each) => this.#isLatest(each))), process)
      case 'pause all':
        return perform({ verb: 'pause', target: conversation, args: null })
      case 'withdraw': {
        const item = this.#stored.find('inbox', {
          where: { deliveredAt: null, withdrawnAt: null, kind: 'user' },
        })[0]
        return item && perform({ verb: 'inbox.withdraw', target: item.branchId, args: { item: item.id } })
      }
      default:
        return perform({ verb: kind, target: run.branchId, args: null })
    }
  }

  get conversation(): ConversationId | undefined {
    return this.#stored.find('conversations', { limit: 1 })[0]?.id
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
      where: { depth: 0 },
      orderBy: 'id',
      descending: true,
      limit: 1,
    })[0]
    if (main && !isStopped(main.status)) return await this.#steer(process, conversationId, main.branchId)
    if (process !== this.driver) return
    await this.#say(
      'start',
      async (token) => {
        await process.runtime.start({ ...startOptions(`and ${token}`), conversationId })
      },
      process,
    )
  }

  async #steer(process: SimProcess, id: ConversationId, target: string): Promise<void> {
    await this.#say(
      'steer',
      async (token) => {
        await process.runtime.perform(id, { verb: 'steer', target, args: { text: `mind ${token}` } }, WHERE)
      },
      process,
    )
  }

  async #continue(run: StoredRun, process: SimProcess): Promise<void> {
    if (process !== this.driver) return
    await this.#say(
      'continue',
      async (token) => {
        const order = { target: run.branchId, text: `go on ${token}`, conversationId: run.conversationId }
        await process.runtime.continue({ ...WHERE, ...order })
      },
      process,
    )
  }

  async #say(how: Said['how'], act: (token: string) => Promise<void>, process: SimProcess): Promise<void> {
    const said: Said = { token: this.#world.token(how), how, acknowledged: false }
    this.#world.said.push(said)
    await act(said.token).then(
      () => {
        if (process.isGone) return
        said.acknowledged = true
        this.#world.note('person', () => `is told that ${said.token} was taken by ${process.name}`)
      },
      (error: unknown) =>
        this.#world.note('person', () => `is told that ${said.token} failed: ${errorMessage(error)}`),
    )
  }

  async #perform(process: SimProcess, id: ConversationId, command: VerbCommand): Promise<void> {
    await process.runtime.perform(id, command, WHERE).then(
      () => this.#world.note('person', () => `${command.verb} ${command.target}: done`),
      (error: unknown) =>
        this.#world.note('person', () => `${command.verb} ${command.target}: ${errorMessage(error)}`),
    )
  }

  /** Approvals, now and then one of them twice. */
  #answerSometimes(): void {
    const random = this.#random
    this.#world.timeline.after(random.between(100, 2_000), () => {
      const { conversation, driver } = this
      const asked = this.#stored.find('approvals', { where: { answer: null } })
      if (conversation && asked[0] && driver && !driver.isGone && !driver.isStopped) {
        const answer = random.pick(['once', 'once', 'deny'] as const)
        const process = random.chance(0.8) ? driver : new SimProcess(this.#world)
        const command = { verb: 'approve', target: asked[0].id, args: { answer, by: 'person' } } as const
        for (let times = random.chance(0.1) ? 2 : 1; times > 0; times--)
          void this.#perform(process, conversation, command)
      }
      this.#answerSometimes()
    })
  }
}
