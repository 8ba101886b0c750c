import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { between, pick, randomOf } from './random.ts'
import { readOpen, type Records } from './records.ts'
import type { World } from './world.ts'

const LOOK_MS = 150

type Seen = Pick<Records, 'runs' | 'approvals'>

/** Somebody at another terminal, who answers what is asked, not always at once, and says something now and then. */
export class Person {
  readonly #world: World
  readonly #random: () => number
  #messages: number
  #said = 0
  #gone = false
  readonly #acting: Promise<void>

  constructor(world: World, seed: number, messages: number) {
    this.#world = world
    this.#random = randomOf(seed + 1)
    this.#messages = messages
    this.#acting = this.#act()
  }

  async leave(): Promise<void> {
    this.#gone = true
    await this.#acting
  }

  async #act(): Promise<void> {
    while (!this.#gone) {
      await setTimeout(LOOK_MS)
      const records = this.#look()
      if (!records) continue
      const asked = records.approvals.filter(({ answer }) => answer === null)
      if (asked.length > 0 && this.#random() < 0.4) await this.#answer(pick(this.#random, asked).id)
      else if (this.#messages > 0 && this.#random() < 0.3) await this.#say(records)
    }
  }

  #look(): Seen | undefined {
    const { database } = this.#world.user
    try {
      return existsSync(database) ? readOpen(database) : undefined
    } catch {
      return undefined // it is being made
    }
  }

  async #answer(id: string): Promise<void> {
    const answer = this.#random() < 0.8 ? 'once' : 'deny'
    const { code } = await this.#world.start(['approve', id, answer]).ended
    if (code === 0) this.#world.acknowledged.push({ type: 'approval', id, answer })
  }

  async #say({ runs }: Seen): Promise<void> {
    const open = runs.filter(({ status }) => status === 'running' || status === 'waiting')
    if (open.length === 0) return
    this.#messages--
    const text = `Note ${++this.#said} of ${between(this.#random, 100_000, 999_999)}.`
    const { code, stdout } = await this.#world.start(['steer', pick(this.#random, open).id, text]).ended
    const id = /^inb_\w+/.exec(stdout)?.[0]
    if (code === 0 && id) this.#world.acknowledged.push({ type: 'message', id, text })
  }
}
