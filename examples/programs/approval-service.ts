// A service: questions come in over HTTP, and calls wait until a person approves them over HTTP.
//   POST /chats {text}   POST /chats/ID {text}   GET /runs/ID   GET /runs/ID/events
//   GET /approvals       POST /approvals/ID {answer: "once" | "run" | "always" | "deny", note?}
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createOffshoot, OffshootError, type ApprovalAnswer } from 'offshoot'

const { PORT = '0', STORE = 'service.db' } = process.env
const offshoot = await createOffshoot({ directory: '.', store: STORE, approvals: 'wait' })
await offshoot.recover() // what a crash interrupted or waits for a person goes on; what a stop paused goes on with the next message

type Handler = (id: string, body: Record<string, string>, response: ServerResponse) => Promise<unknown>

const routes: Readonly<Record<string, Handler>> = {
  'POST /chats': async (_, { text = '' }) => started(await (await offshoot.chat()).send(text)),
  'POST /chats/': async (conversationId, { text = '' }) =>
    started(await (await offshoot.chat({ conversationId })).send(text)),
  'GET /runs/': async (id) => {
    const run = await offshoot.runs.get(id)
    const open = (await offshoot.runs.list()).find((each) => each.id === run.id)
    if (open) return { id, status: open.status }
    const { status, text, costUsd, denials } = await run.result()
    return { id, status, text, costUsd, denials }
  },
  'GET /runs//events': sendEvents,
  'GET /approvals': () => offshoot.approvals.list(),
  'POST /approvals/': (id, { answer, note }) =>
    offshoot.approvals.answer(id, answer as ApprovalAnswer, { note, by: 'a person' }),
}

function started(run: { readonly id: string; readonly conversationId: string }) {
  return { runId: run.id, conversationId: run.conversationId }
}

/** Server-sent events, until the run stops or the reader goes away. */
async function sendEvents(id: string, _: unknown, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for await (const event of (await offshoot.runs.get(id)).events({ signal: gone.signal }))
    response.write(`data: ${JSON.stringify(event)}\n\n`)
  response.end()
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text === '' ? {} : (JSON.parse(text) as Record<string, string>)
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, first, id = '', more] = new URL(request.url!, 'http://localhost').pathname.split('/')
  const route = `${request.method} /${first}${id && '/'}${more ? `/${more}` : ''}`
  const respond = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  try {
    const answer = await routes[route]?.(id, await bodyOf(request), response)
    if (!routes[route]) respond(404, { error: `no route ${route}` })
    else if (!response.headersSent) respond(200, answer)
  } catch (error) {
    if (response.headersSent) response.destroy()
    else if (error instanceof OffshootError)
      respond(error.code === 'conflict' ? 409 : 400, { ...error, error: error.message })
    else respond(error instanceof SyntaxError ? 400 : 500, { error: String(error) })
  }
}

const server = createServer((request, response) => void handle(request, response))
server.listen(Number(PORT), '127.0.0.1', () => console.log(JSON.stringify(server.address())))
await once(process, 'SIGTERM')
server.close()
server.closeAllConnections()
await offshoot.close() // pauses what works; what waits for a person keeps its approval for the next start
