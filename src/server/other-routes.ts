import type { Hono } from 'hono'
import { otherPaths, type OtherRouteName } from '../protocol/route-paths.ts'
import { otherInputs, type OtherInput } from '../protocol/route-schemas.ts'
import { lastSeq } from '../runtime/log/stored-events.ts'
import type { Caller } from './access.ts'
import { eventStream } from './event-stream.ts'
import { exportAnswer } from './export-answer.ts'
import { maskBytes } from './masked-answer.ts'
import { openApiDocument } from './openapi.ts'
import { checkPerson } from './person-only-routes.ts'
import { Problem } from './problem.ts'
import type { Ctx, Env } from './request-context.ts'
import { readInput } from './request-input.ts'
import { requireRow } from './require-row.ts'
import type { ServerContext } from './route-handler.ts'
import type { LinkKeys } from './sessions/link-keys.ts'
import { linkTo, MAX_KEY_BODY, signIn } from './sessions/sign-in.ts'
import { partialsOf } from './stored-partials.ts'

export interface OtherRouteOptions {
  readonly context: ServerContext
  readonly keys: LinkKeys
  /** `http://127.0.0.1:4680`, without a trailing slash. */
  readonly url: string
  /** Aborted when the server stops. */
  readonly ending: AbortSignal
}

/** Authenticates and authorises, then answers. */
type OtherRoute<N extends OtherRouteName> = (
  c: Ctx,
  options: OtherRouteOptions,
) => Awaitable<(input: OtherInput<N>) => Awaitable<Response>>
type Awaitable<T> = T | Promise<T>

const ROUTES: { readonly [N in OtherRouteName]: OtherRoute<N> } = {
  openApi:
    (_c, { context }) =>
    () =>
      Response.json(openApiDocument(context.version)),

  async openSession(c, { keys, context }) {
    await checkPerson('a session', c.env?.incoming, 'key')
    return ({ key }) => signIn(key, { keys, sessions: context.sessions, browser: c.req.header('user-agent') })
  },

  async makeLink(c, { url, keys }) {
    await checkPerson('a link', c.env?.incoming, c.get('caller').kind)
    checkMayLink(c.get('caller'))
    // an Idempotency-Key is ignored: it would store the response with the link's key
    return () => Response.json({ url: linkTo(url, keys) }, { status: 201 })
  },

  exportConversation(c, { context }) {
    const { id } = requireRow(context.store, 'conversations', c.req.param('id') ?? '')
    return ({ format }) => exportAnswer(context, id, format)
  },

  getArtifact(c, { context }) {
    const { content } = requireRow(context.store, 'artifacts', c.req.param('id') ?? '')
    // whatever its type claims: shown as text, never executed
    return () =>
      new Response(new Uint8Array(maskBytes(content, context.secrets)), {
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      })
  },

  followEvents(c, options) {
    const { id } = requireRow(options.context.store, 'conversations', c.req.param('id') ?? '')
    return ({ after = 0 }) => eventsAnswer(c, options, { id, after: lastEventId(c) ?? after })
  },
}

const BODY_LIMITS: Readonly<Partial<Record<OtherRouteName, number>>> = { openSession: MAX_KEY_BODY }

export function addOtherRoutes(app: Hono<Env>, options: OtherRouteOptions): void {
  for (const name of Object.keys(otherPaths) as OtherRouteName[]) {
    const [method, path] = otherPaths[name]
    const route = ROUTES[name] as OtherRoute<OtherRouteName>
    const limit = BODY_LIMITS[name]
    const taken = { method, input: otherInputs[name], ...(limit === undefined ? {} : { limit }) }
    app.on(method, `/api${path}`, async (c) => {
      const answer = await route(c, options)
      const { input } = await readInput<object>(c.req.raw, taken)
      return await answer(input)
    })
  }
}

type Following = Pick<Parameters<typeof eventStream>[0], 'after'> & {
  readonly id: Parameters<typeof lastSeq>[1]
}

async function eventsAnswer(c: Ctx, options: OtherRouteOptions, { id, after }: Following): Promise<Response> {
  const { context, ending } = options
  const { store, hub, clock, directoryRuntimes } = context
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'x-last-seq': String(lastSeq(store, id)),
  }
  if (c.req.method === 'HEAD') return new Response(null, { headers }) // nothing else would end it
  const directoryRuntime = await directoryRuntimes.of(id)
  const topic = hub.topic(id, directoryRuntime)
  const partials = () => partialsOf(store, directoryRuntime, id)
  const cut = () => void c.env?.outgoing?.destroy()
  const caller = c.get('caller')
  const over = caller.kind === 'session' ? AbortSignal.any([ending, caller.signal]) : ending
  const body = eventStream({ topic, store, clock, after, partials, ending: over, cut })
  return new Response(body, { headers: { ...headers, 'transfer-encoding': 'chunked' } })
}

/** The last event id of a lost connection. @throws Problem 422 */
function lastEventId(c: Ctx): number | undefined {
  const given = c.req.header('last-event-id') ?? ''
  if (given === '') return undefined
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw new Problem(422, 'invalid', 'Last-Event-ID: expected the seq of an event')
}

/** A session ends after a day: it must not create another one. @throws Problem 403 */
function checkMayLink(caller: Caller): void {
  if (caller.kind === 'token') return
  throw new Problem(403, 'forbidden', 'a page cannot make links', '`offshoot sessions link` prints one')
}
