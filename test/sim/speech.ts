import { sleep } from '../../src/core/clock.ts'
import { errorMessage } from '../../src/core/errors.ts'
import type { BranchId, ConversationId } from '../../src/core/ids.ts'
import type { StoredRun } from '../../src/core/run.ts'
import type { StoredAnswer } from '../../src/runtime/ownership/owner-commands.ts'
import { Idempotency } from '../../src/server/idempotency.ts'
import type { Tx } from '../../src/store/port.ts'
import { agent } from '../support/runtime-harness.ts'
import { startOptions, WHERE, type SimProcess } from './process.ts'
import { storedOf, type Said, type World } from './world.ts'

interface Order {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly mode: 'steer' | 'follow_up'
}

/** What people say, each with a word of its own, and whether they were told that it was taken. */
export class Speech {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  begin(process: SimProcess): Promise<void> {
    return this.#say('start', process, async (token) => {
      const started = await process.runtime.start(startOptions(`go ${token}`))
      process.drive(started)
      if (!process.isGone) this.#world.told.add(started.conversationId)
    })
  }

  start(process: SimProcess, conversationId: ConversationId): Promise<void> {
    return this.#say('start', process, async (token) => {
      process.drive(await process.runtime.start({ ...startOptions(`and ${token}`), conversationId }))
    })
  }

  steer(process: SimProcess, id: ConversationId, target: string): Promise<void> {
    return this.#say('steer', process, async (token) => {
      await process.runtime.perform(id, { verb: 'steer', target, args: { text: `mind ${token}` } }, WHERE)
    })
  }

  continue(process: SimProcess, run: StoredRun, budgetUsd?: number): Promise<void> {
    const { branchId, conversationId } = run
    this.#allow(conversationId, budgetUsd)
    return this.#say('continue', process, async (token, said) => {
      const order = { target: branchId, text: `go on ${token}`, conversationId, budgetUsd }
      const { started, outcome } = await process.runtime.continue({ ...WHERE, ...order })
      process.drive(started)
      said.isSteer = outcome === 'steered'
    })
  }

  message(process: SimProcess, order: Order): Promise<void> {
    return this.#say('message', process, async (token, said) => {
      said.isSteer = order.mode === 'steer'
      await this.#send(process, order, `hear ${token}`)
    })
  }

  /** The same message each time, under one Idempotency-Key. */
  repeatable(order: Order): (process: SimProcess) => Promise<void> {
    const said = this.#newSaid('message')
    const text = `hear ${said.token}`
    const { conversationId, branchId, mode } = order
    const named = { key: said.token, method: 'POST', path: `/branches/${branchId}/messages` }
    const input = { conversationId, mode, text }
    return (process) =>
      this.#tell(said, process, async () => {
        const keys = new Idempotency(process.store, process.clock)
        const send = async () => ({ status: 201, body: await this.#send(process, order, text) })
        const { status } = await keys.once({ ...named, input }, send)
        if (status !== 201) throw new Error(`answered with ${status}`)
      })
  }

  /**
   * Two commands for whoever drives the conversation, as `askOwner` brings them: the first is withdrawn when it was begun,
   * and the answer to the second is waited for.
   */
  async behindWithdrawn(
    process: SimProcess,
    order: Order,
    [first, second]: readonly [WithdrawnVerb, SpokenVerb],
  ): Promise<void> {
    const withdrawn = this.#world.token('withdrawn')
    await this.#say('message', process, async (token, said) => {
      const { store, clock } = process
      said.isSteer = second === 'continue' // what it was is known with the answer, and may be so without one
      const ids = [randomId(this.#world), randomId(this.#world)] as const
      const rows = [commandRow(first, order, `hear ${withdrawn}`), commandRow(second, order, `hear ${token}`)]
      this.#world.withdrawals.expect(ids[0])
      const write = (tx: Tx) =>
        rows.forEach((row, at) => tx.insert('commands', { ...row, id: ids[at]!, createdAt: clock.now() }))
      await store.tx(write, { durable: true })
      const { outcome, runId } = await untilAnswered(process, ids[1])
      said.isSteer = outcome === 'steered'
      if (!storedOf(this.#world).get('runs', runId))
        this.#world.watch.report('D1', `${token} is for ${runId}, which is not stored`)
    })
  }

  fork(process: SimProcess, conversationId: ConversationId, messageId: string): Promise<void> {
    return this.#say('fork', process, async (token) => {
      const { runtime } = process
      const text = `instead ${token}`
      const command = { verb: 'fork', target: messageId, args: { text } } as const
      const { here } = await runtime.startOrDispatch(conversationId, command, () =>
        runtime.fork({ ...WHERE, messageId, text }),
      )
      process.drive(here)
    })
  }

  spawn(process: SimProcess, conversationId: ConversationId): Promise<void> {
    return this.#say('spawn', process, async (token) => {
      const { runtime } = process
      const task = `do a part ${token}`
      const command = { verb: 'spawn', target: conversationId, args: { task, agent: 'worker' } } as const
      const { here } = await runtime.startOrDispatch(conversationId, command, () =>
        runtime.spawn({ ...WHERE, task, agent: WORKER, conversationId, background: true }),
      )
      process.drive(here)
    })
  }

  async #send(process: SimProcess, order: Order, text: string): Promise<{ readonly itemId: string }> {
    const { started, itemId } = await process.runtime.sendMessage({ ...WHERE, ...order, text })
    process.drive(started)
    return { itemId }
  }

  #allow(id: ConversationId, budgetUsd: number | undefined): void {
    if (budgetUsd === undefined) return
    const { allowed } = this.#world
    allowed.set(id, Math.max(budgetUsd, allowed.get(id) ?? 0))
  }

  async #say(
    how: Said['how'],
    process: SimProcess,
    act: (token: string, said: Said) => Promise<void>,
  ): Promise<void> {
    const said = this.#newSaid(how)
    await this.#tell(said, process, () => act(said.token, said))
  }

  #newSaid(how: Said['how']): Said {
    const token = this.#world.token(how)
    const said: Said = {
      token,
      how,
      sentAt: this.#world.moment(),
      toldAt: undefined,
      isSteer: how === 'steer',
    }
    this.#world.said.push(said)
    return said
  }

  async #tell(said: Said, process: SimProcess, act: () => Promise<void>): Promise<void> {
    const { token } = said
    this.#world.note('person', () => `says ${token}`)
    process.asked++
    const acted = act().finally(() => process.asked--)
    await acted.then(
      () => {
        if (process.isGone) return
        said.toldAt ??= this.#world.moment()
        this.#world.note('person', () => `is told that ${token} was taken by ${process.name}`)
      },
      (error: unknown) =>
        this.#world.note('person', () => `is told that ${token} failed: ${errorMessage(error)}`),
    )
  }
}

const WORKER = agent('worker')

export type SpokenVerb = 'continue' | 'message'
export type WithdrawnVerb = SpokenVerb | 'pause'

function commandRow(verb: WithdrawnVerb, { conversationId, branchId, mode }: Order, text: string) {
  const args = { continue: { text }, message: { text, mode }, pause: null }[verb]
  return { conversationId, verb, target: branchId, args, answer: null, answeredAt: null }
}

function randomId(world: World): string {
  return `cmd of ${world.token('command')}`
}

/** @throws Error where the owner refuses, or nobody has answered. */
async function untilAnswered({ store, clock }: SimProcess, id: string) {
  for (const end = clock.now() + PATIENCE_MS; clock.now() < end;) {
    await sleep(clock, 50)
    const answer = store.get('commands', id)?.answer as StoredAnswer | null | undefined
    if (answer?.ok) return answer.value as { readonly outcome?: string; readonly runId: string }
    if (answer) throw new Error(answer.error.message)
  }
  throw new Error('nobody answers')
}

const PATIENCE_MS = 5_000
