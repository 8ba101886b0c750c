import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServedUser, type Began } from '../../test/support/served-user.ts'
import { paths, type RouteName } from '../protocol/route-paths.ts'
import { routes } from '../protocol/route-schemas.ts'
import { MAX_BODY } from './request-body.ts'

let served: ServedUser
let began: Began
let ids: Readonly<Record<string, string>>
beforeAll(async () => {
  served = await ServedUser.start()
  const ask = { toolCalls: [{ tool: 'ask_user', input: { question: 'Which?' } }] }
  const touch = { toolCalls: [{ tool: 'bash', input: { command: 'touch x' } }] }
  began = await served.begin({ '*': [ask, touch] })
  const asked = await served.until(began.conversationId, ({ type }) => type === 'question.asked')
  const { body } = await served.post(`/branches/${began.branchId}/messages`, { text: 'later' })
  const message = served.store.find('messages', { where: { branchId: began.branchId } })[0]!
  ids = {
    conversations: began.conversationId,
    branches: began.branchId,
    runs: began.runId!,
    messages: message.id,
    questions: asked.type === 'question.asked' ? asked.questionId : '',
    inbox: body['itemId'] as string,
  }
})
afterAll(() => served.remove())

const names = Object.keys(paths) as RouteName[]
const withId = names.filter((name) => paths[name][1].includes(':id'))
const withBody = names.filter((name) => ['POST', 'PATCH'].includes(paths[name][0]))
const known = (name: RouteName) => {
  const [, path] = paths[name]
  const collection = path.split('/')[1]!
  return path.includes(':id') && !ids[collection]
    ? undefined
    : `/api${path.replace(':id', ids[collection] ?? '')}`
}

describe('every route', () => {
  test.each(withId)('%s: an id of nothing, of something else, and what is no id', async (name) => {
    const [method, path] = paths[name]
    const strange = [
      'cnv_00000000000000000000000000',
      'x',
      '%00',
      '..%2f..',
      'a'.repeat(3_000),
      '🙂',
      began.runId!,
    ]
    for (const id of strange) {
      if (path.startsWith('/runs') && id === began.runId) continue
      const { status } = await served.call(method, `/api${path.replace(':id', encodeURI(id))}`)
      expect([id.slice(0, 40), status]).toEqual([id.slice(0, 40), 404])
    }
  })

  test.each(withBody)('%s: a body that is not a JSON object, and one that is too large', async (name) => {
    const [method] = paths[name]
    const path = known(name)
    if (path === undefined) return // there is none of its kind here: 404 comes first
    for (const body of ['{', '[]', '"x"', 'null', '1', '{"a":1}}', '\u0000', '{"text": "\\ud800'])
      expect([body, (await served.call(method, path, body)).status]).toEqual([body, 400])
    expect((await served.call(method, path, '{}', { 'content-type': 'text/plain' })).status).toBe(400)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await served.call(method, path, 'text=x', form)).status).toBe(400)
    const large = await served.call(method, path, `"${'A'.repeat(MAX_BODY)}"`)
    expect([large.status, large.headers.get('connection')]).toEqual([413, 'close'])
  })

  test.each(withBody)('%s: fields of every wrong type', async (name) => {
    const [method] = paths[name]
    const path = known(name)
    const schema = routes[name].input
    const fields = 'shape' in schema ? Object.keys(schema.shape) : []
    if (path === undefined || fields.length === 0) return
    for (const field of fields)
      for (const value of [{ a: 1 }, [[1]], field === 'wake' ? 'true' : true, -1.5]) {
        const { status } = await served.call(method, path, { [field]: value })
        expect([field, value, status]).toEqual([field, value, 422])
      }
  })

  test.each(withBody)('%s: a field that nothing reads is refused by its name', async (name) => {
    const [method] = paths[name]
    const path = known(name)
    if (path === undefined) return
    const { status, body } = await served.call(method, path, { strangeField: true })
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('strangeField')])
  })

  test('without a token: 401, whatever else is wrong', async () => {
    for (const name of names.filter((each) => each !== 'health')) {
      const [method, path] = paths[name]
      const answer = await fetch(`${served.server.url}/api${path.replace(':id', 'x')}`, { method })
      expect([name, answer.status]).toEqual([name, 401])
    }
  })

  test('that there is not: 404, or 401 without a token', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/nothing',
      '/api/conversations/x/y/z',
      '/mcp',
      '/nothing.js',
      '/../etc',
    ]) {
      expect([path, (await served.call('GET', path)).status]).toEqual([path, 404])
      expect([path, (await fetch(`${served.server.url}${path}`)).status]).toEqual([path, 401])
    }
    expect((await served.call('PUT', '/api/conversations')).status).toBe(404)
  })
})

test.each(['before=x', 'limit=0', 'limit=1e9', 'before=-1', 'upTo=msg_x', `upTo=msg_${'0'.repeat(26)}`])(
  'a page of messages with ?%s is refused',
  async (query) => {
    expect((await served.get(`/branches/${began.branchId}/messages?${query}`)).status).toBe(422)
  },
)

test.each([
  [{ text: 'x', noWake: true }, 'noWake: unknown field; did you mean wake?'],
  [{ text: 'x', Wake: false }, 'Wake: unknown field; did you mean wake?'],
  [{ txt: 'x' }, 'txt: unknown field; did you mean text?'],
  [{ text: 'x', max_turns: 3 }, 'max_turns: unknown field; did you mean maxTurns?'],
  [
    { text: 'x', zzz: 1 },
    'zzz: unknown field; the fields are text, mode, files, wake, model, maxTurns, budgetUsd',
  ],
  [
    { text: 'x', files: [{ mediaType: 'text/plain', data: '', fileName: 'a' }] },
    'files.0.fileName: unknown field; did you mean filename?',
  ],
])('the fields of a message %j are refused, and it is not sent', async (body, message) => {
  const before = served.store.count('inbox', {})
  const answer = await served.post(`/branches/${began.branchId}/messages`, body)
  expect([answer.status, answer.body]).toMatchObject([422, { error: { code: 'invalid', message } }])
  expect(served.store.count('inbox', {})).toBe(before)
})

test.each([
  [{ text: 'x', mode: 'fast' }, 'mode: expected one of "plan", "ask", "accept-edits", "auto", got "fast"'],
  [{ text: 'x', mode: 5 }, 'mode: expected one of "plan", "ask", "accept-edits", "auto", got 5'],
  [{ text: 5 }, 'text: expected text, got 5'],
  [{ text: 'x', agent: '' }, 'agent: it is empty'],
])('a new conversation %j is refused in words', async (body, message) => {
  const answer = await served.post('/conversations', body)
  expect([answer.status, answer.body]).toMatchObject([422, { error: { code: 'invalid', message } }])
})

test('a verb that takes nothing says so', async () => {
  const { status, body } = await served.post(`/runs/${began.runId}/pause`, { force: true })
  const message = 'force: unknown field; no fields are accepted here'
  expect([status, body]).toMatchObject([422, { error: { message } }])
})

test('a link takes nothing either', async () => {
  expect((await served.post('/links', { once: false })).status).toBe(422)
  expect((await served.post('/links')).status).toBe(201)
})

test('a name of a query that nothing reads is refused too: a filter would be missing', async () => {
  const { status, body } = await served.get(`/runs?conversaton=${began.conversationId}`)
  const message = 'conversaton: unknown field; did you mean conversation?'
  expect([status, body]).toMatchObject([422, { error: { message } }])
})

test.each(['messages', 'continue'])('`wake: true` of %s is what it is without', async (verb) => {
  const { status, body } = await served.post(`/branches/${began.branchId}/${verb}`, {
    text: 'x',
    wake: true,
  })
  expect([status, body]).toMatchObject([202, {}])
})

test('any JSON as the body of a message is refused or taken, and the server lives on', async () => {
  const path = `/branches/${began.branchId}/messages`
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (body) => {
      expect((await served.post(path, body)).status).toBe(422) // without `text`
    }),
    { numRuns: 50 },
  )
  expect((await served.get('/health')).status).toBe(200)
})

test('none of it was a defect that only stderr tells of', () => {
  expect(served.said).toEqual([])
})
