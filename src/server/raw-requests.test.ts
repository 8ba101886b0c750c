import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServedUser } from '../../test/support/served-user.ts'
import { paths } from '../protocol/route-paths.ts'

let served: ServedUser
beforeAll(async () => {
  served = await ServedUser.start()
})
afterAll(() => served.remove())

const host = () => `Host: 127.0.0.1:${served.server.port}`
const auth = () => `Authorization: Bearer ${served.token}`

/** The answer to these bytes: its status, 0 for a connection that was closed without one, and its text. */
async function answerTo(bytes: string): Promise<{ readonly status: number; readonly text: string }> {
  const text = (await served.raw(bytes)) ?? ''
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0), text }
}

function request(line: string, ...headers: string[]): string {
  return [line, ...headers, 'Connection: close', '', ''].join('\r\n')
}

const STRANGE = [
  '/api/a b',
  '/api/conversations/a b',
  '/api/conversations?a b',
  '/a b c',
  '/api/a%20b',
  '/api/%zz',
  '/%',
  '//',
  '//evil.example/api',
  '/api/../nothing',
  '/../../etc/passwd',
  '/a\\b',
  '*',
  'api',
  '?x',
  '#',
  '/api/\u0001',
  '/api/\u007f',
  '/api/\u00ff',
  '/api/\t',
  `/${'a'.repeat(1_000)}`,
]

describe('a strange target', () => {
  test.each(STRANGE.map((target) => [target.slice(0, 30), target] as const))(
    '%j: the sender is checked first, then the token, in every method',
    async (_, target) => {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'CONNECT', 'get', 'NOTHING']) {
        const line = `${method} ${target} HTTP/1.1`
        const foreign = await answerTo(request(line, 'Host: evil.example', auth()))
        const unknown = await answerTo(request(line, host()))
        const wrong = await answerTo(request(line, host(), 'Authorization: Bearer wrong'))
        const known = await answerTo(request(line, host(), auth()))
        const all = [foreign, unknown, wrong].map(({ status }) => status)
        expect([method, all]).toEqual([method, [403, 401, 401]])
        expect([400, 404]).toContain(known.status)
        for (const { text } of [foreign, unknown, wrong, known])
          expect(text).toMatch(/x-content-type-options: nosniff.*\r\n\r\n/is)
      }
    },
  )

  test('a whole URL is taken where it names this server, and is refused where it names another', async () => {
    const own = `http://127.0.0.1:${served.server.port}`
    expect((await answerTo(request(`GET ${own}/api/a b HTTP/1.1`, host()))).status).toBe(401)
    expect((await answerTo(request(`GET ${own}/api/nothing HTTP/1.1`, host()))).status).toBe(401)
    expect((await answerTo(request(`GET ${own}/api/nothing HTTP/1.1`, host(), auth()))).status).toBe(404)
    expect((await answerTo(request('GET http://evil/api/a b HTTP/1.1', host(), auth()))).status).toBe(403)
  })
})

test('an answer of the parser has the headers of every other', async () => {
  const long = await answerTo(`GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`)
  expect(long.status).toBe(431)
  expect(long.text).toMatch(/x-content-type-options: nosniff/i)
  const garbage = await answerTo('\u0016\u0003\u0001\r\n\r\n')
  expect(garbage.status).toBe(400)
  expect(garbage.text).toMatch(/content-security-policy: default-src 'none'/i)
})

test('what a client expects is no way around the order', async () => {
  const line = 'POST /api/conversations HTTP/1.1'
  expect((await answerTo(request(line, host(), 'Expect: anything'))).status).toBe(401)
  expect((await answerTo(request(line, 'Host: evil.example', 'Expect: anything'))).status).toBe(403)
})

describe('a body', () => {
  const withFields = Object.values(paths).filter(
    ([method, path]) => method === 'POST' && /conversations$|messages$|spawn$/.test(path),
  )

  test.each(withFields)('%s %s: it has to be there where fields are taken', async (method, path) => {
    const { branchId } = await served.begin({ '*': [{ text: 'done' }] })
    const answer = await served.call(method, `/api${path.replace(':id', branchId)}`, '')
    expect([answer.status, ServedUser.why(answer)]).toEqual([
      400,
      expect.stringContaining('the body is missing'),
    ])
  })

  test('a verb without fields needs none', async () => {
    const { runId, conversationId } = await served.begin({ '*': [{ text: 'done' }] })
    await served.ended(conversationId)
    expect((await served.call('POST', `/api/runs/${runId}/cancel`, '')).status).toBe(200)
  })

  test.each([
    ['{"n":1e999}', 'too large'],
    ['{"budgetUsd":1e999}', 'too large'],
    ['{"title":"x","title":"y"}', 'twice'],
    ['{"title":"x","titl\\u0065":"y"}', 'twice'],
    [`{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'deeper'],
  ])('%.40s is refused, once and again', async (body, why) => {
    const before = served.store.count('conversations', {})
    for (const headers of [{}, { 'idempotency-key': crypto.randomUUID() }]) {
      const answer = await served.call('POST', '/api/conversations', body, headers)
      expect([answer.status, ServedUser.why(answer)]).toEqual([400, expect.stringContaining(why)])
    }
    expect(served.store.count('conversations', {})).toBe(before)
  })
})

describe('any bytes', () => {
  const target = fc.oneof(
    fc.constantFrom(...STRANGE, ...Object.values(paths).map(([, path]) => `/api${path}`)),
    fc.string({ maxLength: 60 }),
    fc.webPath().map((path) => `/api/${path}`),
  )
  const method = fc.constantFrom(
    'GET',
    'HEAD',
    'POST',
    'PATCH',
    'DELETE',
    'PUT',
    'TRACE',
    'CONNECT',
    'M-SEARCH',
    'x',
  )
  const header = fc
    .tuple(
      fc.constantFrom(
        'Accept',
        'Cookie',
        'Expect',
        'Upgrade',
        'Connection',
        'Range',
        'Content-Type',
        'X',
        'Idempotency-Key',
      ),
      fc.string({ maxLength: 30 }),
    )
    .map(([name, value]) => `${name}: ${value}`)
  const body = fc.oneof(fc.constant(''), fc.json(), fc.string())

  /** The length may lie: then the connection is closed by the client, who has sent all there is. */
  function raw(parts: readonly string[], text: string): string {
    return [
      ...parts,
      `Content-Length: ${Buffer.byteLength(text, 'latin1')}`,
      'Connection: close',
      '',
      text,
    ].join('\r\n')
  }

  /** The page, or that it is not built, known by what it is and not by where it was asked for: it holds nothing of anybody. */
  function isPublic(m: string, { status, text }: { readonly status: number; readonly text: string }) {
    const isPage = /\r\ncontent-type: text\/html\b/i.test(text)
    return (
      isPage &&
      status === 200 &&
      (m === 'HEAD' || (m === 'GET' && /<div id="root"|The page is not built/.test(text)))
    )
  }

  test('without the token nothing is answered but a refusal', async () => {
    await fc.assert(
      fc.asyncProperty(
        method,
        target,
        fc.array(header, { maxLength: 4 }),
        body,
        async (m, t, headers, text) => {
          if (/^(GET|HEAD)$/.test(m) && /^(\/api\/health|\/login)/.test(t)) return
          const answer = await answerTo(raw([`${m} ${t} HTTP/1.1`, host(), ...headers], text))
          if (isPublic(m, answer)) return
          // the one body that is read without a token holds the key of a link
          const isExchange = m === 'POST' && /^\/api\/sessions(?:$|\?)/.test(t)
          const more = isExchange ? [413, 422, 429] : []
          expect([0, 400, 401, 403, 408, 431, ...more]).toContain(answer.status)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('with the token no answer is a failure of the server', async () => {
    await fc.assert(
      fc.asyncProperty(
        method,
        target,
        fc.array(header, { maxLength: 4 }),
        body,
        async (m, t, headers, text) => {
          const { status } = await answerTo(raw([`${m} ${t} HTTP/1.1`, host(), auth(), ...headers], text))
          expect(status).toBeLessThan(500)
        },
      ),
      { numRuns: 300 },
    )
    expect(served.said).toEqual([])
  })
})
