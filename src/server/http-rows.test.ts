import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ServedUser } from '../../test/support/served-user.ts'

interface Row {
  readonly id: string
  readonly why: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly body_gen?: { readonly repeat: string; readonly bytes: number }
  readonly expected_status: readonly number[]
  readonly must_header?: Readonly<Record<string, string>>
  readonly must_not_header?: Readonly<Record<string, readonly string[]>>
}

const rows = readFileSync(new URL('fixtures/http.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)

let served: ServedUser
let conversationId: string
beforeAll(async () => {
  served = await ServedUser.start()
  conversationId = (await served.begin({ '*': [{ text: 'done' }] })).conversationId
})
afterAll(() => served.remove())

test.each(rows)('$id: $why', async (row) => {
  const { status, head } = await send(row)
  expect(row.expected_status).toContain(status)
  for (const [name, values] of Object.entries(row.must_not_header ?? {}))
    for (const value of values) expect(head[name]).not.toBe(value)
  for (const [names, value] of Object.entries(row.must_header ?? {})) {
    const found = names.split('|').map((name) => (name.startsWith('csp ') ? framing(head) : head[name]))
    const fits = found.some((each) => each !== undefined && (value === '*' || each.toLowerCase() === value))
    expect([names, fits]).toEqual([names, true])
  }
})

function framing(head: Readonly<Record<string, string>>): string | undefined {
  return /frame-ancestors 'none'/.test(head['content-security-policy'] ?? '') ? 'deny' : undefined
}

async function send({ method, path, headers, body, body_gen }: Row) {
  const text = body_gen ? body_gen.repeat.repeat(body_gen.bytes) : (body ?? '')
  const length = text === '' ? [] : [`Content-Length: ${Buffer.byteLength(text)}`]
  const lines = [
    `${method} ${filled(path)} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${filled(value)}`),
    ...length,
    'Connection: close',
  ]
  const answer = await served.raw(`${lines.join('\r\n')}\r\n\r\n${text}`)
  const [first = '', ...rest] = (answer ?? '').split('\r\n\r\n', 1)[0]!.split('\r\n')
  const head = Object.fromEntries(
    rest.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  return { status: Number(first.split(' ')[1]), head }
}

/** The rows name routes of a server like this one. */
function filled(text: string): string {
  return text
    .replaceAll('/api/sessions', '/api/conversations')
    .replaceAll('{{SID}}', conversationId)
    .replaceAll('{{PORT}}', String(served.server.port))
    .replaceAll('{{TOKEN_UPPER}}', served.token.toUpperCase())
    .replaceAll('{{TOKEN_PREFIX}}', served.token.slice(0, 10))
    .replaceAll('{{TOKEN}}', served.token)
}
