import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { movedClock } from '../../../test/support/moved-clock.ts'
import { ServedUser, type Called } from '../../../test/support/served-user.ts'
import { TestUser } from '../../../test/support/test-user.ts'
import type { SessionOpened, SessionRow } from '../../protocol/session.ts'

let served: ServedUser
beforeAll(async () => {
  const user = new TestUser()
  mkdirSync(join(user.root, 'pages/assets'), { recursive: true })
  writeFileSync(join(user.root, 'pages/index.html'), '<title>the page</title>')
  writeFileSync(join(user.root, 'pages/assets/main.js'), '1')
  served = await ServedUser.start(user)
})
afterAll(() => served.remove())

const keyOf = (link: string) => new URL(link).hash.replace('#key=', '')

/** Without any credential. */
function bare(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return fetch(`${served.server.url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

const exchange = (key: unknown, headers = {}) => bare('POST', '/api/sessions', { key }, headers)

async function signedIn(): Promise<SessionOpened> {
  return (await (await exchange(keyOf(served.server.newLink()))).json()) as SessionOpened
}

const as = (token: string, method: string, path: string, body?: unknown): Promise<Called> =>
  served.call(method, `/api${path}`, body, { authorization: `Bearer ${token}` })

describe('the page', () => {
  test('is sent to everybody who may call this server, and nothing that is sent sets a cookie', async () => {
    for (const path of ['/', '/c/cnv_1/b/brn_1', '/settings/sessions', '/assets/main.js'])
      for (const method of ['GET', 'HEAD']) {
        const answer = await bare(method, path)
        expect([path, answer.status, answer.headers.get('set-cookie')]).toEqual([path, 200, null])
        expect(answer.headers.get('content-security-policy')).toContain("script-src 'self';")
      }
    const foreign = await bare('GET', '/', undefined, { origin: 'http://127.0.0.1:1' })
    expect(foreign.status).toBe(403)
  })

  test('is all that is open: what is no file, and every route, asks who it is', async () => {
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['GET', '/login'],
      ['POST', '/'],
      ['GET', '/api'],
      ['GET', '/api/none'],
      ['GET', '/api/sessions'],
      ['DELETE', '/api/sessions'],
      ['DELETE', '/api/sessions/ses_1'],
      ['PUT', '/api/sessions'],
      ['POST', '/api/links'],
      ['POST', '/api/sessions/'],
      ['GET', '/api/conversations'],
      ['GET', '/api/openapi.json'],
    ] as const)
      expect([method, path, (await bare(method, path)).status]).toEqual([method, path, 401])
  })
})

describe('a link', () => {
  test('has its key where no server is sent it, and is exchanged once', async () => {
    const link = served.server.newLink()
    expect(link).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${served.server.port}/#key=[\\w-]{43}$`))
    const first = await exchange(keyOf(link), { 'user-agent': 'Firefox' })
    const opened = (await first.json()) as SessionOpened
    expect([first.status, first.headers.get('set-cookie'), first.headers.get('cache-control')]).toEqual([
      201,
      null,
      'no-store',
    ])
    expect(opened.token).toMatch(/^[\w-]{43}$/)
    expect(opened.token).not.toBe(served.token)
    expect((await as(opened.token, 'GET', '/conversations')).status).toBe(200)
    expect((await exchange(keyOf(link))).status).toBe(401)
    expect(statSync(join(served.user.home, 'sessions.json')).mode & 0o777).toBe(0o600)
  })

  test('that two browsers exchange at the same time lets one of them in', async () => {
    const key = keyOf(served.server.newLink())
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await exchange(key)).status))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, ...Array<number>(7).fill(401)])
  })

  test.each([
    [{}, 422],
    [{ key: 1 }, 422],
    [{ key: 'x', more: 1 }, 422],
    [{ key: 'x'.repeat(101) }, 422],
    ['[]', 400],
    ['{', 400],
    [JSON.stringify({ key: 'x'.repeat(2000) }), 413],
    [{ key: 'wrong' }, 401],
  ])('is refused: %j is %i', async (body, status) => {
    expect((await bare('POST', '/api/sessions', body)).status).toBe(status)
  })

  test('is exchanged by no page elsewhere', async () => {
    const key = keyOf(served.server.newLink())
    for (const headers of [
      { origin: `http://127.0.0.1:${served.server.port + 1}` },
      { 'sec-fetch-site': 'same-site' },
    ])
      expect((await exchange(key, headers)).status).toBe(403)
    expect((await exchange(key)).status).toBe(201)
  })

  test('is made by whoever has the token, and not by a page', async () => {
    const { token } = await signedIn()
    expect((await as(token, 'POST', '/links', {})).status).toBe(403)
    const { status, body } = await served.post('/links')
    expect([status, (await exchange(keyOf(body['url'] as string))).status]).toEqual([201, 201])
  })

  test('is stored nowhere: with an Idempotency-Key each call makes a new one', async () => {
    const make = () => served.post('/links', undefined, { 'idempotency-key': 'link' })
    const made = [await make(), await make()]
    expect(made.map(({ status }) => status)).toEqual([201, 201])
    expect(served.store.get('idempotency', 'link')).toBeUndefined()
    for (const { body } of made) expect((await exchange(keyOf(body['url'] as string))).status).toBe(201)
  })
})

describe('a session', () => {
  test('is the header alone: a cookie, a query or another scheme is none', async () => {
    const { token } = await signedIn()
    for (const headers of [
      { cookie: `offshoot_${served.server.port}=${token}; token=${token}; session=${token}` },
      { authorization: `Basic ${btoa(`x:${token}`)}` },
      { authorization: token },
      { 'x-token': token },
    ] as Record<string, string>[])
      expect((await bare('GET', '/api/conversations', undefined, headers)).status).toBe(401)
    expect((await bare('GET', `/api/conversations?token=${token}&access_token=${token}`)).status).toBe(401)
  })

  test('is listed, and ends with its stream when it is revoked', async () => {
    const [one, two] = [await signedIn(), await signedIn()]
    const { body } = await as(one.token, 'GET', '/sessions')
    const rows = body as unknown as SessionRow[]
    expect(rows.filter(({ isCurrent }) => isCurrent).map(({ id }) => id)).toEqual([one.id])
    expect(rows.map(({ id }) => id)).toContain(two.id)
    const told = JSON.stringify(rows)
    for (const { token } of [one, two]) expect(told).not.toContain(token)
    expect(told).not.toContain('hash')

    const { conversationId: id } = await served.begin({ '*': [{ text: 'x' }] })
    await served.ended(id)
    const streams = [one.token, two.token, served.token].map((token) =>
      served.events(id, { after: 0, headers: { authorization: `Bearer ${token}` } }),
    )
    for (const stream of streams) await stream.next()
    expect((await as(two.token, 'DELETE', `/sessions/${one.id}`)).status).toBe(200)
    expect((await as(two.token, 'DELETE', `/sessions/${one.id}`)).status).toBe(404)
    for await (const _ of streams[0]!); // it comes to its end
    expect((await as(one.token, 'GET', '/conversations')).status).toBe(401)
    await served.call('DELETE', '/api/sessions')
    for await (const _ of streams[1]!);
    expect((await as(two.token, 'GET', '/conversations')).status).toBe(401)
    expect((await served.get('/conversations')).status).toBe(200)
    await streams[2]!.return(undefined)
  })
})

test('a session outlasts its server, is none at another port, and ends with its stream after a day', async () => {
  const clock = movedClock()
  const user = new TestUser()
  const first = await ServedUser.start(user, { clock })
  const { port } = first.server
  const open = ({ server }: ServedUser, link: string) =>
    fetch(`${server.url}/api/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: keyOf(link) }),
    })
  const { token } = (await (await open(first, first.server.newLink())).json()) as SessionOpened
  const headers = { authorization: `Bearer ${token}` }
  const statusAt = async ({ server }: ServedUser) =>
    (await fetch(`${server.url}/api/conversations`, { headers })).status
  const late = first.server.newLink()
  expect(await statusAt(first)).toBe(200)
  await first.stop()

  const elsewhere = await ServedUser.start(user, { clock })
  expect([elsewhere.server.port === port, await statusAt(elsewhere)]).toEqual([false, 401])
  await elsewhere.stop()

  const again = await ServedUser.start(user, { port, clock })
  expect(await statusAt(again)).toBe(200)
  expect((await open(again, late)).status).toBe(401) // keys end with the server
  const { conversationId } = await again.begin({ '*': [{ text: 'x' }] })
  const stream = again.events(conversationId, { after: 0, headers })
  await stream.next()
  clock.move(24 * 60 * 60_000)
  for await (const _ of stream);
  expect(await statusAt(again)).toBe(401)
  await again.remove()
})
