import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { StartedProgram } from '../support/started-program.ts'
import type { Feature } from './features.ts'
import { between, pick, randomOf } from './random.ts'
import { untilStandsStill } from './stands-still.ts'
import { readOpen, type ApprovalRecord, type Records } from './records.ts'
import { LEAVE, OTHER_WAY } from './story.ts'
import { MODEL, type World } from './world.ts'

const LOOK_MS = 150

type Seen = Pick<Records, 'runs' | 'approvals' | 'messages'>

export interface PersonOptions {
  readonly seed: number
  /** How often they say something. */
  readonly messages: number
  readonly features?: ReadonlySet<Feature> | undefined
}

/** Somebody at other terminals, who answers what is asked, not always at once, and says and does something now and then. */
export class Person {
  readonly #world: World
  readonly #random: () => number
  /** Of what they do beside answering and speaking. */
  readonly #own: () => number
  readonly #features: ReadonlySet<Feature>
  #messages: number
  #acts: number
  #said = 0
  #rests = false
  #gone = false
  /** Terminals that drive something, perhaps to its end. */
  readonly #open: StartedProgram[] = []
  readonly #acting: Promise<void>
  readonly #late: string[] = []

  constructor(world: World, { seed, messages, features = new Set() }: PersonOptions) {
    this.#world = world
    this.#random = randomOf(seed + 1)
    this.#own = randomOf(seed + 6)
    this.#features = features
    this.#messages = messages
    this.#acts = features.has('control') || features.has('terminals') ? between(this.#own, 2, 5) : 0
    this.#acting = this.#act()
  }

  /** From now on they only answer what is asked. Settles when their own terminals have done what they were begun for. */
  async rest(): Promise<void> {
    this.#rests = true
    await Promise.all(this.#open.map(({ ended }) => ended))
  }

  /** What is wrong with their terminals. */
  get violations(): readonly string[] {
    return this.#late
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
      const paused = records.runs.filter(isPausedBelow)
      if (asked.length > 0 && this.#random() < 0.4) await this.#answer(pick(this.#random, asked))
      else if (this.#rests) continue
      else if (this.#messages > 0 && this.#random() < 0.3) await this.#say(records)
      else if (this.#acts > 0 && this.#own() < 0.35) await this.#do(records)
      else if (paused.length > 0 && this.#own() < 0.2) this.#continue(pick(this.#own, paused).id)
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

  async #answer({ id, run, conversation, title }: ApprovalRecord): Promise<void> {
    // a shell is allowed for once alone
    const isOnce = !title.includes(`${LEAVE}/`) || this.#own() < 0.3
    const yes = isOnce ? 'once' : pick(this.#own, ['run', 'always'] as const)
    const answer = this.#random() < 0.8 ? yes : 'deny'
    const pattern = answer === 'run' || answer === 'always' ? ['--pattern', `${LEAVE}/*`] : []
    const { code } = await this.#world.start(['approve', id, answer, ...pattern]).ended
    if (code !== 0) return
    this.#world.acknowledged.push({ type: 'approval', id, answer })
    if (answer === 'run' || answer === 'always')
      this.#world.granted.push({ answer, run, conversation, at: Date.now() })
  }

  async #say({ runs }: Seen): Promise<void> {
    const open = runs.filter(({ status }) => status === 'running' || status === 'waiting')
    if (open.length === 0) return
    this.#messages--
    const text = `Note ${++this.#said} of ${between(this.#random, 100_000, 999_999)}.`
    const sent = this.#world.send(text, true)
    const { code, stdout } = await this.#world.start(['steer', pick(this.#random, open).id, text]).ended
    const id = /^inb_\w+/.exec(stdout)?.[0]
    if (code !== 0 || !id) return
    sent.toldAt = Date.now()
    this.#world.acknowledged.push({ type: 'message', id, text })
  }

  /** At any depth; what is paused is continued later. */
  async #do({ runs, messages }: Seen): Promise<void> {
    const below = runs.filter(
      ({ depth, status }) => depth > 0 && (status === 'running' || status === 'waiting'),
    )
    const verbs = [
      ...(this.#features.has('control') ? CONTROLS : []),
      ...(this.#features.has('terminals') ? TERMINALS : []),
    ]
    const verb = pick(this.#own, verbs)
    if (below.length === 0 || messages.length === 0) return
    this.#acts--
    const { id, conversation } = pick(this.#own, below)
    switch (verb) {
      case 'cancel':
        return void (await this.#world.start(['cancel', id]).ended)
      case 'pause':
      case 'interrupt':
      case 'background':
        return void (await this.#world.start([verb, id]).ended)
      case 'continue':
        return this.#continue(id)
      case 'fork': {
        const text = this.#own() < 0.6 ? [`${OTHER_WAY} ${++this.#said}.`] : []
        return this.#drive(['fork', pick(this.#own, messages).id, ...text, ...HOW])
      }
      case 'recover':
        return this.#drive(['recover'])
      case 'run':
        return this.#drive([
          'run',
          `Aside ${++this.#said}.`,
          '-m',
          MODEL,
          '--conversation',
          conversation,
          ...HOW,
        ])
    }
  }

  #continue(id: string): void {
    const text = `Go on ${++this.#said} of ${between(this.#own, 100_000, 999_999)}.`
    this.#drive(['continue', id, text, ...HOW])
  }

  /** It may drive what it begins, until that ends: nobody waits for it before all is done. Now and then it is killed. */
  #drive(args: readonly string[]): void {
    const program = this.#world.start(args)
    this.#open.push(program)
    const wait = new AbortController()
    void program.ended.then(() => wait.abort())
    untilStandsStill(this.#world.user.database, wait.signal).then(
      () => {
        this.#late.push(`L1: process ${program.pid} does not end`)
        program.kill('SIGKILL')
      },
      () => {}, // it has ended
    )
    if (this.#own() < 0.3)
      void setTimeout(between(this.#own, 400, 1_500), undefined, { ref: false }).then(() =>
        program.kill('SIGKILL'),
      )
  }
}

const HOW = ['--approvals', 'wait', '--output-format', 'events']
const CONTROLS = ['cancel', 'pause', 'pause', 'interrupt', 'background', 'continue', 'fork', 'fork'] as const
const TERMINALS = ['recover', 'run'] as const

/** A subagent that somebody has paused, or a limit: whoever paused a main run goes on with that. */
function isPausedBelow({ depth, status, reason }: Seen['runs'][number]): boolean {
  return depth > 0 && status === 'paused' && reason === 'user'
}
