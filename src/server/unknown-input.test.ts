import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServedUser } from '../../test/support/served-user.ts'
import type { ArtifactId } from '../core/ids.ts'
import { openApiDocument } from './openapi.ts'
import { otherPaths, paths, type OtherRouteName, type RouteName } from '../protocol/route-paths.ts'
import { otherInputs, routes } from '../protocol/route-schemas.ts'
import { fieldsAt } from './checked-input.ts'

type Name = RouteName | OtherRouteName
const all = { ...paths, ...otherPaths }
const names = Object.keys(all) as Name[]
const fieldsOf = (name: Name) =>
  fieldsAt(name in routes ? routes[name as RouteName].input : otherInputs[name as OtherRouteName])
const bodied = names.filter((name) => all[name][0] !== 'GET')
const queried = names.filter((name) => all[name][0] === 'GET' && fieldsOf(name).length > 0)

let served: ServedUser
let ids: Readonly<Record<string, string>>
/** Before the first request that is refused. */
let before: unknown
beforeAll(async () => {
  served = await ServedUser.start()
  const ask = { toolCalls: [{ tool: 'ask_user', input: { question: 'Which?' } }] }
  const touch = { toolCalls: [{ tool: 'bash', input: { command: 'touch x' } }] }
  const { conversationId, branchId, runId } = await served.begin({ '*': [ask] })
  const other = await served.begin({ '*': [touch] })
  await served.until(conversationId, ({ type }) => type === 'question.asked')
  await served.until(other.conversationId, ({ type }) => type === 'approval.requested')
  const { body } = await served.post(`/branches/${branchId}/messages`, { text: 'later' })
  await served.store.tx((tx) => tx.insert('artifacts', { ...artifact, conversationId }), { durable: true })
  const key = new URL(served.server.newLink()).hash.replace('#key=', '')
  const opened = await served.post('/sessions', { key })
  ids = {
    conversations: conversationId,
    branches: branchId,
    runs: runId!,
    messages: served.store.find('messages', { where: { branchId, role: 'user' } })[0]!.id,
    questions: served.store.find('questions', {})[0]!.id,
    approvals: served.store.find('approvals', {})[0]!.id,
    inbox: body['itemId'] as string,
    artifacts: artifact.id,
    sessions: opened.body['id'] as string,
  }
  before = await state()
})
afterAll(() => served.remove())

const artifact = {
  id: `art_${'0'.repeat(26)}` as ArtifactId,
  hash: 'x',
  mediaType: 'text/plain',
  size: 1,
  content: new TextEncoder().encode('x'),
  createdAt: 0,
}

function pathOf(name: Name): string {
  const [, path] = all[name]
  return `/api${path.replace(':id', ids[path.split('/')[1]!] ?? '')}`
}

const TABLES = ['conversations', 'branches', 'runs', 'messages', 'parts', 'inbox', 'approvals'] as const

/** Everything that a request could have changed. */
async function state(): Promise<unknown> {
  const rows = [...TABLES, 'questions' as const, 'idempotency' as const].map((table) =>
    served.store.find(table, {}),
  )
  const sessions = (await served.get('/sessions')).body as unknown as readonly { readonly id: string }[]
  return [rows, sessions.map(({ id }) => id), (await served.get('/trust')).body]
}

interface Sent {
  readonly name: Name
  readonly query?: string
  readonly body?: unknown
}

/** Status and words of the refusal; like those before it, the request must have done nothing. */
async function refusal({ name, query = '', body }: Sent): Promise<readonly [number, string]> {
  const [method] = all[name]
  const sent = method === 'GET' ? undefined : (body ?? {})
  const answer = await served.call(method, `${pathOf(name)}${query}`, sent)
  expect(await state()).toEqual(before)
  return [answer.status, ServedUser.why(answer)]
}

describe('every route', () => {
  test.each(names)('%s: a name of the query that it does not read', async (name) => {
    for (const query of [
      '?zzUnknown=1',
      '?zzUnknown',
      '?zzUnknown=',
      '?__proto__=1',
      '?constructor=1',
      '?=1',
    ])
      expect([query, ...(await refusal({ name, query }))]).toEqual([
        query,
        422,
        expect.stringContaining('unknown field'),
      ])
  })

  test.each(bodied)('%s: a field of the body that it does not read', async (name) => {
    for (const body of ['{"zzUnknown":1}', '{"__proto__":1}', '{"constructor":null}'])
      expect([body, ...(await refusal({ name, body }))]).toEqual([
        body,
        422,
        expect.stringContaining('unknown field'),
      ])
  })

  test.each(bodied)('%s: a field of the body in the query', async (name) => {
    for (const field of [...fieldsOf(name), 'dryRun']) {
      const [status, why] = await refusal({ name, query: `?${field}=1` })
      expect([field, status]).toEqual([field, 422])
      if (fieldsOf(name).length > 0) expect(why).toContain('put its fields in the body')
    }
  })

  test.each(names.filter((name) => all[name][0] === 'GET'))('%s: a body with a GET', async (name) => {
    for (const framing of [
      'Content-Length: 2\r\n\r\n{}',
      'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    ]) {
      const head = `GET ${pathOf(name)} HTTP/1.1\r\nHost: 127.0.0.1:${served.server.port}\r\n`
      const answer = await served.raw(
        `${head}Authorization: Bearer ${served.token}\r\nConnection: close\r\n${framing}`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 422 .*a GET takes no body/s)
    }
  })

  test.each(queried)('%s: a name of the query that is given twice', async (name) => {
    for (const field of fieldsOf(name)) {
      const [status, why] = await refusal({ name, query: `?${field}=1&${field}=2` })
      expect([field, status, why]).toEqual([field, 422, `${field}: it is given more than once`])
    }
  })

  test.each(names)('%s: no object of its input takes a field that nothing reads', (name) => {
    const schema = JSON.stringify(bodyOf(name))
    const objects = schema.match(/"type":"object"/g)?.length ?? 0
    expect(schema.match(/"additionalProperties":false/g)?.length ?? 0).toBe(objects)
  })
})

const { paths: told } = openApiDocument('') as { paths: Record<string, Record<string, Operation>> }

/** Its body, as OpenAPI tells it. */
function bodyOf(name: Name): unknown {
  const [method, path] = all[name]
  return told[path.replace(':id', '{id}')]?.[method.toLowerCase()]?.requestBody ?? {}
}

interface Operation {
  readonly requestBody?: object
}

test('a delete that asks for a dry run deletes nothing', async () => {
  const path = `/api/conversations/${ids['conversations']}`
  expect((await served.call('DELETE', `${path}?dryRun=true`)).status).toBe(422)
  expect((await served.call('DELETE', path, { dryRun: true })).status).toBe(422)
  expect((await served.call('DELETE', path, { dryRun: true }, { 'idempotency-key': 'a' })).status).toBe(422)
  expect((await served.get(`/conversations/${ids['conversations']}`)).status).toBe(200)
})

test('a delete may have no body, an empty one, and {}', async () => {
  for (const body of [undefined, '', {}])
    expect((await served.call('DELETE', `/api/branches/${ids['branches']}/inbox`, body)).status).toBe(200)
})

test.each(['?format=constructor', '?Format=md', '?format=md&format=html'])('export%s', async (query) => {
  expect((await served.get(`/conversations/${ids['conversations']}/export${query}`)).status).toBe(422)
})

test('none of it was a defect that only stderr tells of', () => {
  expect(served.said).toEqual([])
})
