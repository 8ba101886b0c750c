import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from 'node:net'
import { ServedUser } from '../../test/support/served-user.ts'

let served: ServedUser
beforeAll(async () => {
  served = await ServedUser.start()
})
afterAll(() => served.remove())

const host = () => `Host: 127.0.0.1:${served.server.port}`
const auth = () => `Authorization: Bearer ${served.token}`

/** What is answered to a request of these lines, its status first. */
async function answerTo(line: string, ...headers: string[]): Promise<string> {
  const text = await served.raw([line, ...headers, 'Connection: close', '', ''].join('\r\n'))
  return text?.slice('HTTP/1.1 '.length) ?? ''
}

test('the server that a request line names counts as a Host', async () => {
  expect(await answerTo('GET http://evil.example/api/health HTTP/1.1', host())).toMatch(/^403 .*forbidden/s)
  const own = `http://127.0.0.1:${served.server.port}/api/health`
  expect(await answerTo(`GET ${own} HTTP/1.1`, host())).toMatch(/^200 /)
})

test('a request without a Host is refused as one with another', async () => {
  expect(await answerTo('GET /api/health HTTP/1.1')).toMatch(/^403 .*"code":"forbidden"/s)
})

test.each([
  ['what is no HTTP', '\u0016\u0003\u0001\r\n\r\n', /^HTTP\/1\.1 400 .*"code":"malformed"/s],
  [
    'headers that never fit',
    `GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
    /^HTTP\/1\.1 431 .*"too_large"/s,
  ],
])('%s: one JSON object says so', async (_what, bytes, answer) => {
  expect(await served.raw(bytes)).toMatch(answer)
})

test('HEAD is answered as GET, without the body', async () => {
  expect(await answerTo('HEAD / HTTP/1.1', host(), auth())).toMatch(/^200 .*\r\n\r\n$/s)
  expect(await answerTo('HEAD /api/conversations HTTP/1.1', host(), auth())).toMatch(/^200 .*\r\n\r\n$/s)
  expect(await answerTo('HEAD /api/conversations HTTP/1.1', host())).toMatch(/^401 /)
})

test('a client that leaves in the middle of its body is no defect', async () => {
  const request = `POST /api/conversations HTTP/1.1\r\n${host()}\r\n${auth()}\r\nContent-Length: 1000\r\n\r\n{`
  const socket = connect({ port: served.server.port, host: '127.0.0.1' })
  const begun = new Promise<void>((resolve) => socket.write(request, () => resolve()))
  await begun
  await served.get('/health') // by now it is being read
  socket.destroy()
  await new Promise((resolve) => socket.once('close', resolve))
  await served.get('/health')
  expect(served.said).toEqual([])
})

test('a directory is named in full: nobody knows where the server stands', async () => {
  const before = served.store.count('conversations', {})
  for (const directory of ['.', '..', 'src', '~'])
    expect((await served.post('/conversations', { directory, title: 'x' })).status).toBe(422)
  expect(served.store.count('conversations', {})).toBe(before)
})

test('a body of chunks that grows too large is refused before its end', async () => {
  const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`
  const head = [
    'POST /api/conversations HTTP/1.1',
    host(),
    auth(),
    'Transfer-Encoding: chunked',
    '',
    '',
  ].join('\r\n')
  expect(await served.raw(head + chunk.repeat(140))).toMatch(/^HTTP\/1\.1 413 /)
})
