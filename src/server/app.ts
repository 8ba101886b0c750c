import { Hono } from 'hono'
import { paths, type RouteName } from '../protocol/route-paths.ts'
import { routes } from '../protocol/route-schemas.ts'
import { agentsModelsToolsHandlers } from './agents-models-tools-handlers.ts'
import type { Access } from './access.ts'
import { approvalHandlers } from './approval-handlers.ts'
import { branchHandlers } from './branch-handlers.ts'
import { authorOfRequest, checkPerson, decisionIn, turnIn } from './person-only-routes.ts'
import { conversationHandlers } from './conversation-handlers.ts'
import { addOtherRoutes, type OtherRouteOptions } from './other-routes.ts'
import type { Ctx, Env } from './request-context.ts'
import { readInput } from './request-input.ts'
import type { Handlers, ServerContext } from './route-handler.ts'
import { checkSender, type Names } from './host-and-origin.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { Idempotency, type KeyedAnswer } from './idempotency.ts'
import { maskAnswer } from './masked-answer.ts'
import { inboxHandlers } from './inbox-handlers.ts'
import { messageHandlers } from './message-handlers.ts'
import type { PageFiles } from './page-files.ts'
import { Problem, problemBody, problemOf } from './problem.ts'
import { runHandlers } from './run-handlers.ts'
import { sessionHandlers } from './session-handlers.ts'
import { isCollection, requireRow } from './require-row.ts'
import { trustHandlers } from './trust-handlers.ts'

export interface AppOptions extends OtherRouteOptions {
  readonly names: Names
  readonly access: Access
  readonly pages: PageFiles
  /** Unexpected errors. */
  readonly onDefect: (error: unknown) => void
}

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

/** The whole HTTP API (docs/server.md). Checks run in the order of the contract; each refusal is one JSON object. */
export function createApp(options: AppOptions): Hono<Env> {
  const app = new Hono<Env>()
  const { access, ending, context, names, onDefect, pages } = options
  app.use('*', async (c, next) => {
    checkSender(senderOf(c), names)
    const found = isRead(c.req.method) && !isApi(c) ? pages.answer(c.req.path) : undefined
    if (!found && !isOpen(c)) c.set('caller', access.check(c.req.header('authorization')))
    if (ending.aborted) throw new Problem(503, 'closed', 'the server is shutting down')
    if (found) c.res = found // the page's files contain no user data
    else await next()
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!c.res.headers.has(name)) c.res.headers.set(name, value)
  })
  app.onError((error) => {
    const problem = problemOf(error)
    if (problem.status === 500) onDefect(error)
    const answer = json(maskAnswer({ status: problem.status, body: problemBody(problem) }, context.secrets))
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) answer.headers.set(name, value)
    // an oversized body is not read to its end, so the connection cannot be reused
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
      `no such route: ${c.req.method} ${c.req.path.slice(0, 200)}`,
      'GET /api/openapi.json lists all routes',
    )
  })
  return app
}

function isApi({ req }: Ctx): boolean {
  return req.path === '/api' || req.path.startsWith('/api/')
}

/** A browser without any credentials exchanges a key. */
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

/** In contract order: 404, 413, 400, 422, then refusals by the current state. */
function addRoute(app: Hono<Env>, name: RouteName, context: ServerContext, idempotency: Idempotency): void {
  const [method, path] = paths[name]
  const { input: schema, status } = routes[name]
  const [, subject] = /^\/(\w+)\/:id/.exec(path) ?? []
  const collection = isCollection(subject) ? subject : undefined
  const handle = HANDLERS[name] as (context: ServerContext, exchange: object) => unknown
  app.on(method, `/api${path}`, async (c) => {
    const id = c.req.param('id') ?? ''
    const find = () => collection && requireRow(context.store, collection, id)
    // a deleted target is gone when the request is repeated with its Idempotency-Key
    const isKeptDelete = method === 'DELETE' && c.req.header('idempotency-key') !== undefined
    const row = isKeptDelete ? undefined : find()
    const { input, sent } = await readInput<unknown>(c.req.raw, { method, input: schema })
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
        find() // a target deleted in the meantime is gone, whatever error that caused
        throw error
      }
    }
    const work = async (): Promise<KeyedAnswer> => {
      const answer = handled()
      context.underway.add(answer)
      return await answer.finally(() => context.underway.delete(answer))
    }
    if (method === 'GET') return json(await work())
    return await maybeOnce(c, idempotency, sent, work)
  })
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
