import { afterAll, beforeAll, expect, test } from 'vitest'
import { mkdirSync, rmdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { ServedUser, type Began } from '../../test/support/served-user.ts'

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

test('HEAD of a stream opens none', async () => {
  const { conversationId: id } = await served.begin({ '*': [{ text: 'x' }] })
  const path = `/api/conversations/${id}/events`
  expect(await answerTo(`GET ${path}?after=9999 HTTP/1.1`, host(), auth())).toMatch(
    /^200 .*transfer-encoding: chunked/is,
  )
  const answer = await answerTo(`HEAD ${path} HTTP/1.1`, host(), auth())
  expect(answer).toMatch(/^200 .*content-type: text\/event-stream/is)
  expect(answer).not.toMatch(/chunked/i)
})

test('whether the server is well may be asked with HEAD too, without a token', async () => {
  expect(await answerTo('HEAD /api/health HTTP/1.1', host())).toMatch(/^200 .*\r\n\r\n$/s)
  expect(await answerTo('POST /api/health HTTP/1.1', host())).toMatch(/^401 /)
})

test.each(['*', '/a\\b', '/..\\..\\etc'])('%s is no path: one JSON object says so', async (target) => {
  const answer = await answerTo(`GET ${target} HTTP/1.1`, host(), auth())
  expect(answer).toMatch(/^400 .*x-content-type-options: nosniff.*"code":"malformed"/is)
})

test('what has no value in a query is as if it were not there', async () => {
  const ask = { toolCalls: [{ tool: 'ask_user', input: { question: 'Which?' } }] }
  const { branchId, conversationId } = await served.begin({ '*': [ask] })
  await served.until(conversationId, ({ type }) => type === 'question.asked')
  const { body } = await served.get(`/branches/${branchId}/messages?before=&limit=`)
  expect(body).toEqual((await served.get(`/branches/${branchId}/messages`)).body)
  expect(body).toMatchObject({ messages: [{ role: 'system' }, { role: 'user' }, {}] })
  expect((await served.get('/runs?status=&conversation=&branch=&parent=')).status).toBe(200)
})

test('where the directory of a conversation is gone, nothing begins, and what is left can be looked at and deleted', async () => {
  const directory = join(served.user.root, 'gone')
  mkdirSync(directory)
  const model = served.user.script({ '*': [{ text: 'x' }] }, 'gone.json')
  const { body } = await served.post('/conversations', { directory, text: 'x', model })
  const { conversationId: id, branchId, runId } = body as Began
  await served.ended(id)
  rmdirSync(directory)
  const { id: said } = served.store.find('messages', { where: { branchId, role: 'user' } })[0]!
  for (const [path, order] of [
    [`/branches/${branchId}/messages`, { text: 'x' }],
    [`/branches/${branchId}/spawn`, { task: 'x' }],
    [`/runs/${runId}/continue`, {}],
    [`/messages/${said}/fork`, { text: 'x' }],
  ] as const) {
    const refused = await served.post(path, order)
    expect([path, refused.status, ServedUser.why(refused)]).toEqual([
      path,
      409,
      expect.stringContaining(`${directory} no longer exists`),
    ])
  }
  expect((await served.get(`/conversations/${id}`)).status).toBe(200)
  expect((await served.post(`/conversations/${id}/cancel`)).status).toBe(200)
  expect((await served.call('DELETE', `/api/conversations/${id}`)).status).toBe(200)
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
