import { join } from 'node:path'
import { installationToken, openServer, type RunningServer } from './inside.ts'
import { readable } from './recording.ts'
import { borrowed, type World } from './world.ts'

interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly text: string
}

interface Row {
  readonly id: string
}
interface Snapshot {
  readonly branches: readonly Row[]
  readonly inbox: readonly Row[]
  readonly runs: readonly Row[]
}

/** Of the connection, of the time of day, and of the length of what holds the path of a directory. */
const NOT_STABLE = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

interface Listening {
  /** All of it, once the server has ended it. */
  readonly ended: Promise<string>
  /** Leaves when it has been told all that is stored; the text so far. */
  stop(): Promise<string>
}

/** A server on the store of a world. */
export class Served implements AsyncDisposable {
  readonly #world: World
  readonly #server: RunningServer
  readonly #token: string

  private constructor(world: World, server: RunningServer) {
    this.#world = world
    this.#server = server
    this.#token = installationToken(world.user.home)
  }

  static async open(world: World): Promise<Served> {
    const { user, env, clock, store, directory } = world
    const server = await openServer({
      ...world.ports(SERVER),
      port: 0,
      host: '127.0.0.1',
      directory,
      home: user.home,
      env,
      store: borrowed(store),
      clock,
      version: '0.0.0-golden',
      pages: join(user.root, 'pages'),
      log: () => {},
    })
    return new Served(world, server)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close() // the clock stands still: how long a socket takes is not known
  }

  /** Sends something that the scenario needs; its answer is recorded too. */
  async send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await this.#ask(path, method, body)
    const about = `${method} ${path}${body === undefined ? '' : `\n${JSON.stringify(body)}`}`
    this.#world.recording.append('sent.http', shown(about, answer))
    return JSON.parse(answer.text) as Record<string, unknown>
  }

  /** Reads what else the scenario wants to show. */
  async get(file: string, paths: readonly string[]): Promise<void> {
    for (const path of paths) await this.#get(file, path)
  }

  /** The events as they come, from the first one. */
  async listen(id: string): Promise<Listening> {
    const leaving = new AbortController()
    const answer = await fetch(`${this.#server.url}/api/conversations/${id}/events`, {
      headers: this.#auth,
      signal: leaving.signal,
    })
    let text = ''
    const read = async () => {
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) text += chunk
      return text
    }
    const ended = read().catch(() => text)
    await this.#world.until(() => text.includes(': connected'))
    const stop = async () => {
      const last = await this.#lastSeq(id)
      await this.#world.until(() => isWhole(text, last))
      leaving.abort()
      return await ended
    }
    return { ended, stop }
  }

  /** How it is, in the middle. */
  async look(name: string, id: string): Promise<string> {
    const get = (path: string) => this.#get(`${name}.http`, path)
    const snapshot = await get(`/conversations/${id}`)
    for (const list of ['runs', 'approvals', 'questions']) await get(`/${list}?conversation=${id}`)
    const { inbox = [] } = parsed<Partial<Snapshot>>(snapshot)
    for (const item of inbox) await get(`/inbox/${item.id}`)
    return snapshot
  }

  /** Everything that can be read of a conversation. */
  async lookAtAll(name: string, id: string): Promise<void> {
    const get = (path: string) => this.#get(`${name}.http`, path)
    const { branches = [], runs = [] } = parsed<Partial<Snapshot>>(await this.look(name, id))
    await get(`/conversations?directory=${encodeURIComponent(this.#world.directory)}`)
    await get(`/conversations/${id}/asks`)
    for (const run of [runs[0], runs.at(-1)]) if (run) await get(`/runs/${run.id}`)
    for (const branch of branches) {
      await get(`/branches/${branch.id}`)
      await get(`/branches/${branch.id}/inbox`)
      await this.#readMessages(get, branch.id)
    }
  }

  /** Its events and its documents. */
  async record(id: string): Promise<void> {
    const { recording } = this.#world
    const last = await this.#events('events.sse', id, '')
    await this.#events('events-resumed.sse', id, `?after=${Math.floor(last * 0.8)}`)
    await this.#events('events-again.sse', id, '', Math.max(0, last - 2))
    for (const format of ['json', 'md', 'html']) {
      const path = `/conversations/${id}/export?format=${format}`
      const answer = await this.#ask(path)
      recording.append('export.http', shown(`GET ${path}`, { ...answer, text: `(export.${format})` }))
      recording.text(`export.${format}`, readable(answer.text))
    }
  }

  /** All pages, the last one first, and what went to an artifact. */
  async #readMessages(get: (path: string) => Promise<string>, branchId: string): Promise<void> {
    for (let query = '?limit=6'; query !== '';) {
      const page = await get(`/branches/${branchId}/messages${query}`)
      const { before } = parsed<{ readonly before: number | null }>(page)
      query = before === null ? '' : `?limit=6&before=${before}`
      for (const artifact of new Set(page.match(/\bart_[0-9A-Z]{26}\b/g))) await get(`/artifacts/${artifact}`)
    }
  }

  /** What a client gets of what is stored, after a seq or after the last event that it had; the last seq. */
  async #events(file: string, id: string, query: string, had?: number): Promise<number> {
    const path = `/conversations/${id}/events${query}`
    const leaving = new AbortController()
    const headers = { ...this.#auth, ...(had === undefined ? {} : { 'last-event-id': String(had) }) }
    const answer = await fetch(`${this.#server.url}/api${path}`, { headers, signal: leaving.signal })
    const last = Number(answer.headers.get('x-last-seq'))
    let text = ''
    const read = async () => {
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        if (isWhole(text, last)) return
      }
    }
    const tooLate = setTimeout(() => leaving.abort(), MAX_READ_MS)
    await read().catch(() => {}) // what is there by then shows what is missing
    clearTimeout(tooLate)
    leaving.abort()
    const asked = had === undefined ? `GET ${path}` : `GET ${path}\nlast-event-id: ${had}`
    this.#world.recording.text(
      file,
      shown(asked, { status: answer.status, headers: headersOf(answer), text }),
    )
    return last
  }

  async #get(file: string, path: string): Promise<string> {
    const answer = await this.#ask(path)
    this.#world.recording.append(file, shown(`GET ${path}`, answer))
    return answer.text
  }

  async #lastSeq(id: string): Promise<number> {
    const url = `${this.#server.url}/api/conversations/${id}/events`
    const { headers } = await fetch(url, { method: 'HEAD', headers: this.#auth })
    return Number(headers.get('x-last-seq'))
  }

  async #ask(path: string, method = 'GET', body?: unknown): Promise<Answer> {
    const answer = await fetch(`${this.#server.url}/api${path}`, {
      method,
      headers: { ...this.#auth, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, headers: headersOf(answer), text: await answer.text() }
  }

  get #auth(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` }
  }
}

/** As which process it works. */
const SERVER = 9

function parsed<T>(text: string): T {
  return JSON.parse(text) as T
}

/** It takes milliseconds. */
const MAX_READ_MS = 5_000

/** The event with that number has come. */
function isWhole(text: string, last: number): boolean {
  return text.endsWith('\n\n') && new RegExp(`"seq":${last}[,}]`).test(text)
}

function headersOf({ headers }: Response): string[] {
  return [...headers].flatMap(([name, value]) => (NOT_STABLE.has(name) ? [] : [`${name}: ${value}`]))
}

/** Most answers have the same headers. */
const JSON_HEADERS = [
  'cache-control: no-store',
  "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'content-type: application/json',
  'cross-origin-opener-policy: same-origin',
  'cross-origin-resource-policy: same-origin',
  'referrer-policy: no-referrer',
  'x-content-type-options: nosniff',
  'x-frame-options: DENY',
].join('\n')

function shown(asked: string, { status, headers, text }: Answer): string {
  const all = headers.join('\n')
  return `${asked}\n${status} ${all === JSON_HEADERS ? 'application/json' : `\n${all}\n`}\n${readable(text)}\n`
}
