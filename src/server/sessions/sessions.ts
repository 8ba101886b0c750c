import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { errorMessage } from '../../core/errors.ts'
import { bounds } from '../../core/limits.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { isSameHash } from '../installation-token.ts'
import { readSessions, writeSessions, type StoredSession } from './session-file.ts'

export interface SessionsOptions {
  readonly home: string
  /** Token of the installation. */
  readonly token: string
  readonly port: number
  readonly clock: Clock
  /** One line for the person who started the server. */
  readonly log: (line: string) => void
}

/** An active session. */
export interface Session {
  readonly id: string
  /** Aborted when the session is revoked or expires. */
  readonly signal: AbortSignal
}

export interface OpenedSession {
  readonly id: string
  /** Returned once, and stored nowhere. */
  readonly token: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** Most sessions; beyond that, the oldest ends. */
const MAX_SESSIONS = 100
/**
 * How often to compare the time, because timers are late on a machine that slept. Also the interval for storing last
 * uses.
 */
const LOOK_MS = 60_000
const MAX_NAME = 200

/**
 * The sessions of pages. Each has its own token, whose hash depends on the installation and the port, so no other
 * server accepts it. They survive a restart of the server on the same port.
 */
export class Sessions {
  readonly #options: SessionsOptions
  readonly #signals = new Map<string, AbortController>()
  #all: readonly StoredSession[]
  #isUseUnwritten = false
  #cancelLook = () => {}

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#all = this.#read()
    this.#look()
  }

  /** `browser`: its own name. @throws OffshootError `store_readonly` */
  open(browser: string): OpenedSession {
    const token = randomBytes(32).toString('base64url')
    const id = `ses_${randomBytes(6).toString('hex')}`
    const { port } = this.#options
    const createdAt = this.#options.clock.now()
    const expiresAt = createdAt + bounds.sessionMs
    const hash = this.#hash(token).toString('base64url')
    const name = terminalLine(browser).slice(0, MAX_NAME)
    this.#keep([...this.#all, { id, hash, port, createdAt, expiresAt, usedAt: createdAt, browser: name }])
    this.#look()
    return { id, token, createdAt, expiresAt }
  }

  /** Undefined: the token belongs to no active session of this server. */
  find(token: string): Session | undefined {
    const now = this.#options.clock.now()
    const hash = this.#hash(token)
    const [found] = this.#live(now).filter((each) => isSameHash(Buffer.from(each.hash, 'base64url'), hash))
    if (found?.port !== this.#options.port) return undefined
    if (found.usedAt !== now) this.#use(found, now)
    return { id: found.id, signal: this.#controller(found.id).signal }
  }

  /** Includes those of other ports, newest first. */
  list(): readonly StoredSession[] {
    return this.#live(this.#options.clock.now()).toReversed()
  }

  /** False: unknown id. @throws OffshootError `store_readonly`: then it has ended only until the server restarts. */
  end(id: string): boolean {
    const left = this.#all.filter((each) => each.id !== id)
    if (left.length === this.#all.length) return false
    this.#keep(left)
    return true
  }

  /** Returns how many there were. @throws OffshootError `store_readonly` */
  endAll(): number {
    const { length } = this.list()
    this.#keep([])
    return length
  }

  /** The server stops; the sessions remain. */
  close(): void {
    this.#cancelLook()
    this.#writeUses()
  }

  #live(now: number): readonly StoredSession[] {
    return this.#all.filter(({ expiresAt }) => expiresAt > now)
  }

  #hash(token: string): Buffer {
    const { token: key, port } = this.#options
    return createHmac('sha256', key).update(`session of port ${port}\n${token}`).digest()
  }

  #use(session: StoredSession, usedAt: number): void {
    this.#all = this.#all.map((each) => (each === session ? { ...each, usedAt } : each))
    this.#isUseUnwritten = true
  }

  #controller(id: string): AbortController {
    const known = this.#signals.get(id) ?? new AbortController()
    this.#signals.set(id, known)
    return known
  }

  /** Ends sessions in memory first: they stay ended even if the file cannot be written. */
  #keep(next: readonly StoredSession[]): void {
    this.#all = next.slice(-MAX_SESSIONS)
    const kept = new Set(this.#all.map(({ id }) => id))
    for (const [id, controller] of this.#signals) {
      if (kept.has(id)) continue
      this.#signals.delete(id)
      controller.abort()
    }
    writeSessions(this.#options.home, this.#all)
    this.#isUseUnwritten = false
  }

  /** Ends expired sessions, and schedules itself for the next one. */
  #look(): void {
    this.#cancelLook()
    const { clock } = this.#options
    const now = clock.now()
    const live = this.#live(now)
    if (live.length < this.#all.length) this.#tryTo(() => this.#keep(live))
    this.#writeUses()
    if (live.length === 0) return
    const next = Math.min(LOOK_MS, ...live.map(({ expiresAt }) => expiresAt - now))
    this.#cancelLook = clock.after(next, () => this.#look())
  }

  #writeUses(): void {
    if (this.#isUseUnwritten) this.#tryTo(() => this.#keep(this.#all))
  }

  #tryTo(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#isUseUnwritten = false // the next use tries again
      this.#options.log(errorMessage(error))
    }
  }

  /** An unreadable file admits nobody. */
  #read(): readonly StoredSession[] {
    try {
      return readSessions(this.#options.home)
    } catch (error) {
      this.#options.log(`${errorMessage(error)}: every browser must sign in again`)
      return []
    }
  }
}
