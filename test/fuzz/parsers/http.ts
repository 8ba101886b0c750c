import { connect } from 'node:net'
import { ServedUser } from '../../support/served-user.ts'
import { textsOf } from '../corpus.ts'
import { mutatedText } from '../mutate.ts'
import { readAnswers, type RawAnswer } from '../raw-answers.ts'
import { Finding, hold, type Target } from '../target.ts'

/** The bytes of one connection, one character for each, with `{{TOKEN}}` and the like for what each server has anew. */
type Input = string

const DICTIONARY =
  `GET POST PATCH DELETE PUT HEAD OPTIONS TRACE CONNECT HTTP/1.0 HTTP/1.1 HTTP/2.0 /api /api/ /api/health /login / //
  /api/conversations /api/branches/ /api/runs /api/approvals /api/questions /api/openapi.json /api/config /api/agents
  ?after= ?limit= &x=y #a %00 %2e%2e/ ..;/ {{TOKEN}} {{ID}} {{BRANCH}} {{PORT}} Bearer bearer Authorization: Basic
  Host: Origin: null Cookie: Content-Length: Transfer-Encoding: chunked gzip Connection: close keep-alive upgrade
  Upgrade: websocket Expect: Sec-Fetch-Site: cross-site Content-Type: text/plain application/json {} [] {"text":1}
  "mode":"auto" "text":"x" 1e999 0 -1 99999999999`
    .split(/\s+/)
    .concat(['\r\n', '\r\n\r\n', '\n', ' ', '\r\nX: y', '\r\n y'])

const CORPUS = textsOf('requests').map(({ text }) => text.replaceAll('\n', '\r\n'))

/** What reaches the server over a socket. */
export const http: Target<Input> = {
  name: 'http',
  limitMs: 5_000,
  generate(random) {
    const text = mutatedText(random, { corpus: CORPUS, dictionary: DICTIONARY })
    const bytes = Buffer.from(text).toString('latin1').slice(0, MAX_BYTES)
    const length = random.chance(0.9) ? bodyOf(bytes).length : random.between(0, 200)
    return bytes.replaceAll('{{LENGTH}}', String(length))
  },
  async run(input) {
    const server = await served()
    const bytes = filled(input, server)
    const before = server.user.said.length
    const answer = await exchange(server.user, bytes)
    for (const each of readAnswers(answer)) checkAnswer(each, bytes, server)
    hold(server.user.said.length === before, 'says that a request failed', () =>
      server.user.said.slice(before).join(),
    )
  },
  async close() {
    const open = await current
    current = undefined
    await open?.user.remove()
  },
}

const MAX_BYTES = 64 * 1024

function bodyOf(bytes: string): string {
  const end = bytes.indexOf('\r\n\r\n')
  return end < 0 ? '' : bytes.slice(end + 4)
}

interface Served {
  readonly user: ServedUser
  readonly names: Readonly<Record<string, string>>
}

let current: Promise<Served> | undefined
let uses = 0

/** What earlier requests have made must not be felt by later ones for long. */
const MAX_USES = 1_000

async function served(): Promise<Served> {
  if (++uses % MAX_USES === 0) await http.close?.()
  return await (current ??= start())
}

async function start(): Promise<Served> {
  const user = await ServedUser.start()
  const model = user.user.script({ '*': [{ text: 'hi' }] })
  const began = await user.begin({ '*': [{ text: 'hi' }] })
  await user.ended(began.conversationId)
  const names = {
    PORT: String(user.server.port),
    TOKEN: user.token,
    ID: began.conversationId,
    BRANCH: began.branchId,
    MODEL: model,
  }
  return { user, names }
}

function filled(input: string, { names }: Served): string {
  return input.replace(/\{\{(\w+)\}\}/g, (all, name: string) => names[name] ?? all)
}

const PATIENCE_MS = 10_000

/** What comes back until the server closes, or a stream has begun; the half of the client is closed at once. */
function exchange(user: ServedUser, bytes: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect({ port: user.server.port, host: '127.0.0.1' })
  const late = setTimeout(() => {
    reject(new Finding('hangs', `after ${PATIENCE_MS} ms there is ${JSON.stringify(text.slice(0, 500))}`))
    socket.destroy()
  }, PATIENCE_MS)
  let text = ''
  socket.on('data', (data) => {
    text += data.toString('latin1')
    if (/^content-type: text\/event-stream/im.test(text)) socket.destroy()
  })
  socket.on('error', () => {}) // what the server will not read it cuts
  socket.on('close', () => {
    clearTimeout(late)
    resolve(text)
  })
  socket.end(bytes, 'latin1')
  return promise
}

const FIELDS = ['code', 'hint', 'message']

function checkAnswer(answer: RawAnswer, sent: string, { names }: Served): void {
  const { status, type, body } = answer
  const shown = () => `${JSON.stringify(sent.slice(0, 600))} has ${JSON.stringify(answer)}`
  hold(status < 500, 'answers with a defect', shown)
  const hasToken = sent.includes(names['TOKEN']!)
  const isData = type.startsWith('application/json') || type.startsWith('text/event-stream')
  if (status >= 200 && status < 300 && !hasToken && isData) {
    const isHealth = body === '' || /^\{"ok":true,"version":"[^"]*"\}$/.test(body)
    hold(isHealth, 'answers without a token', shown)
  }
  if (status < 400) return
  const isApi = /^[A-Z]+ (http:\/\/[^/ ]*)?\/api[/? ]/.test(sent)
  if (!type.startsWith('application/json')) return hold(!isApi, 'refuses without JSON', shown)
  if (body !== '') checkProblem(body, shown)
}

function checkProblem(body: string, shown: () => string): void {
  const { error, ...others } = JSON.parse(Buffer.from(body, 'latin1').toString()) as Record<string, unknown>
  const fields = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
  const { code, message } = fields
  const isProblem =
    Object.keys(others).length === 0 &&
    Object.keys(fields).every((name) => FIELDS.includes(name)) &&
    typeof code === 'string' &&
    typeof message === 'string'
  hold(isProblem, 'refuses in another shape', shown)
}
