import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import type { FaultPoint } from '../support/faults.ts'
import type { StartedProgram } from '../support/started-program.ts'
import { readOpen, readRecords } from './records.ts'
import { NOT_YET } from '../support/not-yet.ts'
import { randomOf } from './random.ts'
import { untilStandsStill } from './stands-still.ts'
import { attendServer, type Posted } from './served.ts'
import { BUDGET, type Story } from './story.ts'
import { MODEL, type World } from './world.ts'

/** How a program ends: at a fault point, after a time, or as soon as its output holds a text. */
export type Death =
  | { readonly type: 'point'; readonly point: FaultPoint; readonly time: number }
  | { readonly type: 'clock'; readonly afterMs: number; readonly group: boolean }
  | { readonly type: 'told'; readonly text: string }
  /** It is asked to end, at its start or in the middle. */
  | { readonly type: 'signal'; readonly signal: EndSignal; readonly afterMs: number }

export type EndSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP'

export interface Course {
  readonly story: Story
  readonly seed: number
  /** Whether what is known to be broken is checked too. */
  readonly all?: boolean | undefined
  /** Of the programs one after the other; the one after the last is left alone. */
  readonly deaths: readonly Death[]
  readonly random: () => number
  /** Whether most of its programs are servers, at whose page somebody sits. */
  readonly served?: boolean | undefined
  /** Pages of the store of the first program, which is not killed before it is full. */
  readonly pages?: number | undefined
}

export interface Driven {
  readonly kills: number
  /** From the start of a program to the first run that it has taken up. */
  readonly recoveriesMs: readonly number[]
  /** From the last kill until nothing went on any more. */
  readonly quietMs: number
  readonly violations: readonly string[]
}

/** Invariant R6: the processes of a dead owner are gone by then. */
const ORPHAN_MS = 10_000
const QUIET_MS = 60_000
/** A busy machine needs a minute for one, and a paused run needs one more. */
const LAST_STARTS = 5
const LOOK_MS = 50
/** A server ends 8 s after it was asked to at the latest. */
const END_MS = 12_000
/** What had nothing left to do may end as if it had done all. */
const HEARS_MS = 3_000

/** What waits on a subagent that was cancelled, or has paused, is read when a person continues it, and not before. */
const UNREAD = `SELECT count(*) FROM inbox AS item
  WHERE delivered_at IS NULL AND withdrawn_at IS NULL AND conversation_id = ? AND NOT EXISTS (
    SELECT 1 FROM runs WHERE branch_id = item.branch_id AND depth > 0 AND status IN ('cancelled', 'paused')
      AND id = (SELECT max(id) FROM runs WHERE branch_id = item.branch_id))`

/** Starts programs on one conversation until everything in it is done, and kills them as they are to die. */
export async function drive(world: World, course: Course): Promise<Driven> {
  const lives = new Lives(world, course)
  for (const death of course.deaths) if (await lives.one(death)) break
  return await lives.toTheEnd()
}

class Lives {
  readonly #world: World
  readonly #course: Course
  readonly #recoveriesMs: number[] = []
  readonly #violations: string[] = []
  readonly #guarded: Promise<void>[] = []
  /** What was posted to a server under a key, and may be posted again to the next one. */
  readonly #posted: Posted[] = []
  #kills = 0
  #starts = 0
  /** Whether the present program is a server. */
  #serves = false
  #lastKill = Date.now()

  constructor(world: World, course: Course) {
    this.#world = world
    this.#course = course
  }

  /** One program; whether nothing is left to do. */
  async one(death?: Death): Promise<boolean> {
    const wasOpen = this.#isOpen()
    const startedAt = Date.now()
    const program = this.#start(death)
    const end = death ? this.#aim(program, death) : () => {}
    const late = this.#endLate(program)
    const { signal } = await program.ended
    late.abort()
    end()
    if (wasOpen) this.#measure(startedAt)
    if (signal === 'SIGKILL') await this.#died(program.pid)
    return signal !== 'SIGKILL' && this.#isQuiet()
  }

  async toTheEnd(): Promise<Driven> {
    // looked at once: a person may begin something right after
    let isQuiet = this.#isQuiet()
    let starts = 0
    while (!isQuiet && (starts++ < LAST_STARTS || Date.now() - this.#lastKill < QUIET_MS)) {
      await this.one()
      await setTimeout(LOOK_MS)
      isQuiet = this.#isQuiet()
    }
    const quietMs = Date.now() - this.#lastKill
    if (!isQuiet) this.#violations.push(`not quiet after ${quietMs} ms and ${starts} programs`)
    await Promise.all(this.#guarded)
    return { kills: this.#kills, recoveriesMs: this.#recoveriesMs, quietMs, violations: this.#violations }
  }

  #start(death: Death | undefined): StartedProgram {
    const { pages, random } = this.#course
    const env = {
      ...(death?.type === 'point' && { TEST_FAULT: `${death.point}:${death.time}` }),
      ...(pages && this.#starts === 0 && { TEST_PAGES: String(pages) }),
    }
    this.#serves = this.#course.served === true && random() < 0.75
    if (this.#serves) return this.#serve(env)
    const id = this.#conversation()
    const isRecovery = id !== undefined && random() < 0.6
    const text = id === undefined ? this.#course.story.opening : `More ${this.#starts}.`
    this.#starts++
    const paused = id === undefined ? undefined : this.#pausedMain()
    // nobody goes on with that but a person
    if (isRecovery && !paused) return this.#world.start(['recover'], env)
    const how = ['--approvals', 'wait', '--output-format', 'events']
    if (id !== undefined && paused === 'budget')
      return this.#world.start(['continue', id, '--budget-usd', String(BUDGET.enough), ...how], env)
    const where = id === undefined ? [] : ['--conversation', id]
    this.#world.send(text, false)
    return this.#world.start(['run', text, '-m', MODEL, ...how, ...where], env)
  }

  #serve(env: Readonly<Record<string, string>>): StartedProgram {
    this.#starts++
    const program = this.#world.start(['serve', '--port', '0'], env)
    const { opening } = this.#course.story
    const conversation = () => this.#conversation()
    const random = randomOf(this.#course.seed + 7 + this.#starts)
    const posted = this.#posted
    const violation = (text: string) => void this.#violations.push(text)
    const isQuiet = () => this.#isQuiet()
    const isPaused = () => this.#pausedMain() !== undefined
    const served = { opening, conversation, isQuiet, isPaused, random, posted, violation }
    void attendServer(this.#world, program, served)
    return program
  }

  /** The returned function ends it, if the program has ended before. */
  #aim(program: StartedProgram, death: Death): () => void {
    if (death.type === 'point') return () => {}
    if (death.type === 'told') {
      program.untilStdout(death.text).then(
        () => program.kill('SIGKILL'),
        () => {}, // it has ended without
      )
      return () => {}
    }
    if (death.type === 'signal') return this.#signal(program, death)
    const wait = new AbortController()
    const { signal } = wait
    // what a server is asked comes later than what a command was told
    const begun = this.#serves ? program.untilStdout('\n') : Promise.resolve()
    const due = begun.then(() => setTimeout(death.afterMs, undefined, { signal }))
    due.then(
      () => (death.group ? process.kill(-program.pid, 'SIGKILL') : program.kill('SIGKILL')),
      () => {},
    )
    return () => wait.abort()
  }

  /** It ends soon after; one that goes on as if nothing had happened has not heard it. */
  #signal(
    program: StartedProgram,
    { signal: name, afterMs }: Extract<Death, { type: 'signal' }>,
  ): () => void {
    const wait = new AbortController()
    const { signal } = wait
    let at: number | undefined
    const isChecked = this.#course.all || !NOT_YET.has('lost signals')
    const late = async () => {
      await setTimeout(afterMs, undefined, { signal })
      if (!isChecked) await program.untilStdout('\n') // by then it hears
      this.#world.note(`${program.pid} gets ${name}`)
      this.#world.signals++
      program.kill(name)
      at = Date.now()
      await setTimeout(END_MS, undefined, { signal })
      program.kill('SIGKILL')
    }
    late().catch(() => {}) // it has ended
    void program.ended.then(({ code }) => {
      const tookMs = at === undefined ? 0 : Date.now() - at
      const wasDeaf = tookMs > END_MS || (tookMs > HEARS_MS && code === 0)
      if (wasDeaf && isChecked)
        this.#violations.push(`L1: process ${program.pid} went on for ${tookMs} ms after ${name}`)
    })
    return () => wait.abort()
  }

  #endLate(program: StartedProgram): AbortController {
    const wait = new AbortController()
    untilStandsStill(this.#world.user.database, wait.signal).then(
      () => {
        this.#violations.push(`L1: process ${program.pid} does not end`)
        program.kill('SIGKILL')
      },
      () => {},
    )
    return wait
  }

  async #died(pid: number): Promise<void> {
    this.#kills++
    this.#lastKill = Date.now()
    if (!this.#exists()) return
    for (const { id, answer } of readOpen(this.#world.user.database).approvals)
      if (answer === null) this.#world.openApprovals.add(id)
    const guarded = this.#ended(this.#owner(pid))
    this.#guarded.push(guarded)
    // Sometimes the next program comes before the guard has done its work.
    if (this.#course.random() < 0.5) await guarded
  }

  /** What was there when the owner died; what the next one starts is none of it. */
  async #ended(owner: string | undefined): Promise<void> {
    if (!owner) return
    const at = Date.now()
    const left = () => this.#world.processesOf(owner, this.#course.story)
    const then = left()
    const stillThere = () => left().filter((one) => then.includes(one))
    while (stillThere().length > 0 && Date.now() - at < ORPHAN_MS) await setTimeout(LOOK_MS)
    for (const one of stillThere()) this.#violations.push(`R6: ${one} outlives its owner`)
  }

  #measure(startedAt: number): void {
    const id = this.#conversation()
    const endedAt = Date.now()
    const first = readRecords(this.#world.user.database).events.find(
      ({ at, type, conversationId }) => conversationId === id && at >= startedAt && type.startsWith('run.'),
    )
    if (first && first.at <= endedAt) this.#recoveriesMs.push(first.at - startedAt)
  }

  #isOpen(): boolean {
    const statuses = this.#column<string>('SELECT DISTINCT status FROM runs WHERE conversation_id = ?')
    return ['running', 'waiting', 'queued'].some((status) => statuses.includes(status))
  }

  #isQuiet(): boolean {
    if (this.#conversation() === undefined || this.#isOpen() || this.#pausedMain()) return false
    return this.#column<number>(UNREAD)[0] === 0
  }

  /** Why the main run has paused; undefined: it has not. */
  #pausedMain(): string | undefined {
    const sql = `SELECT CASE status WHEN 'paused' THEN reason END FROM runs
      WHERE depth = 0 AND branch_id IN (SELECT id FROM branches WHERE kind = 'main') AND conversation_id = ?
      ORDER BY id DESC LIMIT 1`
    return this.#column<string | null>(sql)[0] ?? undefined
  }

  /** Undefined: another process drove the conversation, and may still do so. */
  #owner(pid: number): string | undefined {
    return this.#column<string>(`SELECT owner FROM leases WHERE conversation_id = ? AND pid = ${pid}`)[0]
  }

  /** Undefined while there is none with this opening. */
  #conversation(): string | undefined {
    if (!this.#exists()) return undefined
    return this.#query<string>('SELECT id FROM conversations WHERE title = ?', this.#course.story.opening)[0]
  }

  #column<T>(sql: string): T[] {
    const id = this.#conversation()
    return id === undefined ? [] : this.#query<T>(sql, id)
  }

  #query<T>(sql: string, value: string): T[] {
    const db = new DatabaseSync(this.#world.user.database, { readOnly: true, timeout: 5_000 })
    try {
      return db
        .prepare(sql)
        .all(value)
        .map((row) => Object.values(row)[0] as T)
    } finally {
      db.close()
    }
  }

  /** Of a file whose first program died early there may be nothing to read yet. */
  #exists(): boolean {
    const { database } = this.#world.user
    if (!existsSync(database)) return false
    const db = new DatabaseSync(database, { readOnly: true, timeout: 5_000 })
    try {
      return db.prepare('SELECT 1 FROM conversations LIMIT 1').all().length > 0
    } catch {
      return false // it was killed while it made the file: the next program undoes that
    } finally {
      db.close()
    }
  }
}
