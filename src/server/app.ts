import { Hono, type Context } from 'hono'
import type { ServerResponse, IncomingMessage } from 'node:http'
import { paths, type RouteName } from '../protocol/route-paths.ts'
import { routes } from '../protocol/route-schemas.ts'
import { cancelRun, nothing } from '../protocol/verbs.ts'
import { lastSeq } from '../runtime/log/stored-events.ts'
import { agentsModelsToolsHandlers } from './agents-models-tools-handlers.ts'
import type { Access, Caller } from './access.ts'
import { approvalHandlers } from './approval-handlers.ts'
import { readObject } from './request-body.ts'
import { branchHandlers } from './branch-handlers.ts'
import { authorOfRequest, checkPerson, decisionIn, turnIn } from './person-only-routes.ts'
import { conversationHandlers } from './conversation-handlers.ts'
import { eventStream } from './event-stream.ts'
import { exportAnswer } from './export-answer.ts'
import type { Handlers, ServerContext } from './route-handler.ts'
import { checkSender, type Names } from './host-and-origin.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { Idempotency, type KeyedAnswer } from './idempotency.ts'
import { maskAnswer, maskBytes } from './masked-answer.ts'
import { inboxHandlers } from './inbox-handlers.ts'
import { messageHandlers } from './message-handlers.ts'
import { openApiDocument } from './openapi.ts'
import type { PageFiles } from './page-files.ts'
import { Problem, problemBody, problemOf } from './problem.ts'
import { runHandlers } from './run-handlers.ts'
import type { LinkKeys } from './sessions/link-keys.ts'
import { sessionHandlers } from './session-handlers.ts'
import { linkTo, signIn } from './sessions/sign-in.ts'
import { checkedInput } from './checked-input.ts'
import { partialsOf } from './stored-partials.ts'
import { isCollection, requireRow } from './require-row.ts'
import { trustHandlers } from './trust-handlers.ts'

export interface AppOptions {
  readonly context: ServerContext
  readonly names: Names
  readonly access: Access
  readonly keys: LinkKeys
  readonly pages: PageFiles
  /** `http://127.0.0.1:4680`, without a slash at its end. */
  readonly url: string
  /** Aborted when the server ends. */
  readonly ending: AbortSignal
  /** What nobody foresaw. */
  readonly onDefect: (error: unknown) => void
}

/** Absent where no socket stands behind a request. */
interface Sockets {
  readonly incoming?: IncomingMessage
  readonly outgoing?: ServerResponse
}
interface Env {
  readonly Bindings: Sockets
  /** Who asks; not known on routes that are open. */
  readonly Variables: { readonly caller: Caller }
}
type Ctx = Context<Env>

const HANDLERS: Handlers<RouteName> = {
  ...agentsModelsToolsHandlers,
  ...approvalHandlers,
  ...branchHandlers,
  ...conversationHandlers,
  ...inboxHandlers,
  ...messageHandlers,
  ...runHandlers,
  ...trustHandlers,
  ...sessionHandlers,
}

/** The whole of HTTP (docs/server.md). Checks come in the order of the contract; each refusal is one JSON object. */
export function createApp(options: AppOptions): Hono<Env> {
  const app = new Hono<Env>()
  const { access, ending, context, names, onDefect, pages } = options
  app.use('*', async (c, next) => {
    checkSender(senderOf(c), names)
    const found = isRead(c.req.method) && !isApi(c) ? pages.answer(c.req.path) : undefined
    if (!found && !isOpen(c)) c.set('caller', access.check(c.req.header('authorization')))
    if (ending.aborted) throw new Problem(503, 'closed', 'the server is ending')
    if (found) c.res = found // the files of the page hold nothing of the user
    else await next()
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!c.res.headers.has(name)) c.res.headers.set(name, value)
  })
  app.onError((error) => {
    const problem = problemOf(error)
    if (problem.status === 500) onDefect(error)
    const answer = json(maskAnswer({ status: problem.status, body: problemBody(problem) }, context.secrets))
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) answer.headers.set(name, value)
    // what is too large is not read to its end: nothing can follow on this connection
    if (problem.status === 413) answer.headers.set('connection', 'close')
    return answer
  })
  const idempotency = new Idempotency(context.store, context.clock)
  for (const name of Object.keys(paths) as RouteName[]) addRoute(app, name, context, idempotency)
  addOtherRoutes(app, options)
  app.notFound((c) => {
    throw new Problem(
      404,
      'not_found',
      `there is no ${c.req.method} ${c.req.path.slice(0, 200)}`,
      'GET /api/openapi.json lists what there is',
    )
  })
  return app
}

function isApi({ req }: Ctx): boolean {
  return req.path === '/api' || req.path.startsWith('/api/')
}

/** A key is exchanged by a browser that has nothing else yet. */
function isOpen({ req: { method, path } }: Ctx): boolean {
  return path === '/api/health' ? isRead(method) : path === '/api/sessions' && method === 'POST'
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

function senderOf(c: Ctx) {
  const raw = c.env?.incoming?.rawHeaders
  const all = (name: string): string[] => {
    const values = raw?.filter((_, i) => i % 2 === 1 && raw[i - 1]!.toLowerCase() === name)
    const given = c.req.header(name)
    return values ?? (given === undefined ? [] : [given])
  }
  const isApiCall = isApi(c) || c.req.method !== 'GET'
  return {
    hosts: all('host'),
    origins: all('origin'),
    site: c.req.header('sec-fetch-site'),
    isApi: isApiCall,
  }
}

/** In the order of the contract: 404, 413, 400, 422, and then whatever the state of things refuses. */
function addRoute(app: Hono<Env>, name: RouteName, context: ServerContext, idempotency: Idempotency): void {
  const [method, path] = paths[name]
  const { input: schema, status } = routes[name]
  const [, subject] = /^\/(\w+)\/:id/.exec(path) ?? []
  const collection = isCollection(subject) ? subject : undefined
  const handle = HANDLERS[name] as (context: ServerContext, exchange: object) => unknown
  app.on(method, `/api${path}`, async (c) => {
    const id = c.req.param('id') ?? ''
    const find = () => collection && requireRow(context.store, collection, id)
    // what is deleted is gone when the call is sent again with its Idempotency-Key
    const isKeptDelete = method === 'DELETE' && c.req.header('idempotency-key') !== undefined
    const row = isKeptDelete ? undefined : find()
    const isOptional = schema === nothing || schema === cancelRun
    const given =
      method === 'GET' ? queryOf(c) : method === 'DELETE' ? {} : await readObject(c.req.raw, { isOptional })
    const input = checkedInput(schema, given)
    const caller = c.get('caller')
    const asked = input as object
    const decided = decisionIn(name, asked) ?? turnIn(name, asked, row, context.directoryRuntimes)
    await checkPerson(decided, c.env?.incoming, caller?.kind ?? 'token')
    const about = { shown: caller?.kind ?? 'token', store: context.store } as const
    const author = await authorOfRequest(name, c.env?.incoming, about)
    const by = caller?.kind === 'session' ? 'web' : 'http'
    const handled = async (): Promise<KeyedAnswer> => {
      const exchange = { id, row: row ?? find(), input, caller, by, author }
      try {
        return maskAnswer({ status, body: await handle(context, exchange) }, context.secrets)
      } catch (error) {
        find() // what was deleted meanwhile is not there any more, whatever that has led to
        throw error
      }
    }
    const work = async (): Promise<KeyedAnswer> => {
      const answer = handled()
      context.underway.add(answer)
      return await answer.finally(() => context.underway.delete(answer))
    }
    if (method === 'GET') return json(await work())
    return await maybeOnce(c, idempotency, given, work)
  })
}

/** A name without a value says nothing. */
function queryOf(c: Ctx): object {
  return Object.fromEntries(Object.entries(c.req.query()).filter(([, value]) => value !== ''))
}

async function maybeOnce(c: Ctx, idempotency: Idempotency, input: unknown, work: () => Promise<KeyedAnswer>) {
  const key = c.req.header('idempotency-key')
  if (key === undefined) return json(await work())
  const { method, path } = c.req
  const { isAgain, ...answer } = await idempotency.once({ key, method, path, input }, work)
  return json(answer, isAgain ? { 'idempotent-replayed': 'true' } : {})
}

function json({ status, body }: KeyedAnswer, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers })
}

function addOtherRoutes(app: Hono<Env>, { context, keys, url, ending }: AppOptions): void {
  const { store, directoryRuntimes, hub, clock, version } = context
  app.get('/api/openapi.json', () => Response.json(openApiDocument(version)))
  app.post('/api/sessions', async (c) => {
    await checkPerson('a session', c.env?.incoming, 'key')
    return await signIn(c.req.raw, keys, context.sessions)
  })
  app.post('/api/links', async (c) => {
    await checkPerson('a link', c.env?.incoming, c.get('caller').kind)
    checkMayLink(c.get('caller'))
    checkedInput(nothing, await readObject(c.req.raw, { isOptional: true }))
    // an Idempotency-Key is ignored: its answer would be stored, and with it the key of the link
    return json({ status: 201, body: { url: linkTo(url, keys) } })
  })
  app.get('/api/conversations/:id/export', (c) =>
    exportAnswer(context, requireRow(store, 'conversations', c.req.param('id')).id, c.req.query('format')),
  )
  app.get('/api/artifacts/:id', (c) => {
    const { content } = requireRow(store, 'artifacts', c.req.param('id'))
    // whatever it says it is: it is shown as text, and never run
    return new Response(new Uint8Array(maskBytes(content, context.secrets)), {
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
  })
  app.get('/api/conversations/:id/events', async (c) => {
    const { id } = requireRow(store, 'conversations', c.req.param('id'))
    const after = seqOf(c)
    const headers = {
      'content-type': 'text/event-stream; charset=utf-8',
      'x-last-seq': String(lastSeq(store, id)),
    }
    if (c.req.method === 'HEAD') return new Response(null, { headers }) // nobody would end it
    const directoryRuntime = await directoryRuntimes.of(id)
    const topic = hub.topic(id, directoryRuntime)
    const partials = () => partialsOf(store, directoryRuntime, id)
    const cut = () => void c.env?.outgoing?.destroy()
    const caller = c.get('caller')
    const over = caller.kind === 'session' ? AbortSignal.any([ending, caller.signal]) : ending
    const body = eventStream({ topic, store, clock, after: after ?? 0, partials, ending: over, cut })
    return new Response(body, { headers: { ...headers, 'transfer-encoding': 'chunked' } })
  })
}

/** A session ends after a day: it must not begin another one. @throws Problem 403 */
function checkMayLink(caller: Caller): void {
  if (caller.kind === 'token') return
  throw new Problem(403, 'forbidden', 'a page cannot make links', '`offshoot sessions link` prints one')
}

/** What the client has had: of a connection that was lost, else what it asks for. @throws Problem 422 */
function seqOf(c: Ctx): number | undefined {
  const [name, given] = [
    ['Last-Event-ID', c.req.header('last-event-id')],
    ['after', c.req.query('after')],
  ].find(([, value]) => value !== undefined && value !== '') ?? ['after', undefined]
  if (given === undefined) return undefined
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw new Problem(422, 'invalid', `${name}: expected the seq of an event`)
}
