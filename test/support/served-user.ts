import { connect } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '../../src/core/clock.ts'
import type { OffshootEvent } from '../../src/core/events.ts'
import { systemClock } from '../../src/exec/system-clock.ts'
import type { ScriptInput } from '../../src/model/model-script.ts'
import type { RouteAnswer } from '../../src/protocol/route-schemas.ts'
import { openServer, type RunningServer } from '../../src/server/server.ts'
import { installationToken } from '../../src/server/installation-token.ts'
import type { Store } from '../../src/store/port.ts'
import { createMemoryStore } from '../../src/store/memory.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { TestUser } from './test-user.ts'

export interface Called {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Headers
}

/** Somebody whose server runs in this process, on a real socket. */
export class ServedUser {
  readonly user: TestUser
  readonly store: Store
  readonly server: RunningServer
  readonly token: string
  readonly said: string[]

  private constructor(user: TestUser, store: Store, server: RunningServer, said: string[]) {
    this.user = user
    this.store = store
    this.server = server
    this.said = said
    this.token = installationToken(user.home)
  }

  static async start(
    user = new TestUser(),
    { port = 0, clock = systemClock, pages = join(user.root, 'pages') }: StartOptions = {},
  ): Promise<ServedUser> {
    const said: string[] = []
    const store = await openSqliteStore({ file: user.database })
    const server = await openServer({
      port,
      host: '127.0.0.1',
      directory: user.directory,
      home: user.home,
      env: user.env,
      store,
      clock,
      version: '0.0.0-test',
      pages,
      log: (line) => void said.push(line),
    })
    return new ServedUser(user, store, server, said)
  }

  get auth(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` }
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Called> {
    const text = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const answer = await fetch(`${this.server.url}${path}`, {
      method,
      headers: { ...this.auth, 'content-type': 'application/json', ...headers },
      redirect: 'manual',
      ...text,
    })
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    const shown = isJson ? await answer.json() : { text: await answer.text() }
    return { status: answer.status, body: shown as Called['body'], headers: answer.headers }
  }

  get(path: string): Promise<Called> {
    return this.call('GET', `/api${path}`)
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Called> {
    return this.call('POST', `/api${path}`, body, headers)
  }

  /** A new conversation whose agents answer what a script says. */
  async begin(agents: ScriptInput['agents'], text = 'hello'): Promise<Began> {
    const model = this.user.script(agents, `${crypto.randomUUID()}.json`)
    const { status, body } = await this.post('/conversations', { text, model })
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body as Began
  }

  /** The store as another process has it open; it is closed before the user is removed. */
  storeElsewhere(): Promise<Store> {
    return openSqliteStore({ file: this.user.database })
  }

  /** Resolves with the event that fits, as a client is told of it, which goes on after a reset because of the owner. */
  async until(
    conversationId: string,
    fits: (event: OffshootEvent) => boolean,
    after = 0,
  ): Promise<OffshootEvent> {
    const ending = new AbortController()
    let isRenewed = false
    try {
      for await (const { event, name, data } of this.events(conversationId, {
        after,
        signal: ending.signal,
      })) {
        if (event && fits(event)) return event
        isRenewed = name === 'reset' && data?.includes('owner') === true
      }
    } finally {
      ending.abort()
    }
    if (!isRenewed) throw new Error('the stream ended')
    return await this.until(conversationId, fits, after)
  }

  /** Settles when the main run has stopped. */
  async ended(conversationId: string): Promise<void> {
    const ends = ['run.completed', 'run.failed', 'run.cancelled', 'run.paused']
    await this.until(conversationId, ({ type, depth }) => depth === 0 && ends.includes(type))
  }

  async *events(
    conversationId: string,
    { after, signal, headers = {} }: EventsOptions = {},
  ): AsyncGenerator<Frame> {
    const query = after === undefined ? '' : `?after=${after}`
    const answer = await fetch(`${this.server.url}/api/conversations/${conversationId}/events${query}`, {
      headers: { ...this.auth, ...headers },
      ...(signal ? { signal } : {}),
    })
    let text = ''
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      const frames = (text + chunk).split('\n\n')
      text = frames.pop()!
      for (const frame of frames) yield parseFrame(frame)
    }
  }

  /** What comes back for exactly these bytes; null: the connection was cut. */
  raw(bytes: string): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<string | null>()
    const socket = connect({ port: this.server.port, host: '127.0.0.1' })
    let text = ''
    socket.on('data', (data) => (text += data.toString('latin1')))
    socket.on('close', () => resolve(text === '' ? null : text))
    socket.on('error', () => {})
    socket.write(bytes, 'latin1')
    return promise
  }

  /** What a refusal says. */
  static why({ body }: Called): string {
    return (body as { readonly error?: { readonly message: string } }).error?.message ?? ''
  }

  async stop(): Promise<void> {
    await this.server.close()
    await this.store.close()
  }

  async remove(): Promise<void> {
    await this.stop()
    this.user.remove()
  }
}

interface StartOptions {
  readonly port?: number
  readonly clock?: Clock
  /** Where the built page lies; by default there is none. */
  readonly pages?: string
}

export type Began = RouteAnswer<'createConversation'>

interface EventsOptions {
  readonly after?: number
  readonly signal?: AbortSignal
  readonly headers?: Record<string, string>
}

export interface Frame {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly data: string | undefined
  readonly event: OffshootEvent | undefined
}

function parseFrame(frame: string): Frame {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1]
  const [id, name, data] = [field('id'), field('event'), field('data')]
  const isEvent = name !== undefined && name !== 'reset' && data !== undefined
  return { id, name, data, event: isEvent ? (JSON.parse(data) as OffshootEvent) : undefined }
}

export function emptyStore(): Store {
  return createMemoryStore()
}
