import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ServedUser, type Began, type Called } from '../../test/support/served-user.ts'
import type { ArtifactId, RunId } from '../core/ids.ts'
import { textOf } from '../core/message.ts'
import { paths, type RouteName } from '../protocol/route-paths.ts'
import { routes, type RouteAnswer } from '../protocol/route-schemas.ts'

let served: ServedUser
beforeAll(async () => {
  served = await ServedUser.start()
})
afterAll(() => served.remove())

const touch = (name: string) => ({ toolCalls: [{ tool: 'bash', input: { command: `touch ${name}` } }] })

/** What a route answers has to be as the protocol says. */
function checked<N extends RouteName>(name: N, called: Called): RouteAnswer<N> {
  const { status, body } = called
  expect([name, status, ServedUser.why(called)]).toEqual([name, routes[name].status, ''])
  return routes[name].answer.parse(body) as RouteAnswer<N>
}

async function approvalOf({ conversationId }: Began): Promise<string> {
  const asked = await served.until(conversationId, ({ type }) => type === 'approval.requested')
  return asked.type === 'approval.requested' ? asked.approvalId : ''
}

describe('a conversation', () => {
  test('begins with a message, is answered, and goes on with the next', async () => {
    const { conversationId, branchId, runId } = await served.begin({
      '*': [{ text: 'one.' }, { text: 'two.' }],
    })
    await served.ended(conversationId)
    const sent = checked('sendMessage', await served.post(`/branches/${branchId}/messages`, { text: 'more' }))
    expect(sent.itemId).toMatch(/^inb_/)
    expect(sent.runId).not.toBe(runId)
    await served.until(
      conversationId,
      (event) => event.type === 'run.completed' && event.runId === sent.runId,
    )
    const page = checked('listMessages', await served.get(`/branches/${branchId}/messages?limit=4`))
    const said = page.messages.map(({ role, parts }) => [role, textOf(parts)])
    expect(said).toEqual([
      ['user', 'hello'],
      ['assistant', 'one.'],
      ['user', 'more'],
      ['assistant', 'two.'],
    ])
    expect(
      served.store.find('inbox', { where: { branchId } }).every((item) => item.deliveredAt !== null),
    ).toBe(true)
  })

  test('is made empty, named, and deleted with everything in it', async () => {
    const made = checked(
      'createConversation',
      await served.post('/conversations', { title: 'a plan', mode: 'plan' }),
    )
    const path = `/conversations/${made.conversationId}`
    expect(made.runId).toBeNull()
    checked('updateConversation', await served.call('PATCH', `/api${path}`, { title: 'another plan' }))
    const shown = checked('getSnapshot', await served.get(path))
    expect(shown.conversation).toMatchObject({ title: 'another plan', mode: 'plan' })
    checked('deleteConversation', await served.call('DELETE', `/api${path}`))
    expect((await served.get(path)).status).toBe(404)
  })

  test('that nobody has named is called after its first message, as on the command line', async () => {
    const model = served.user.script({ '*': [{ text: 'one.' }, { text: 'two.' }] }, 'untitled.json')
    const made = checked('createConversation', await served.post('/conversations', {}))
    const { conversationId: id, branchId } = made
    const send = async (text: string) => {
      const { runId } = checked(
        'sendMessage',
        await served.post(`/branches/${branchId}/messages`, { text, model }),
      )
      await served.until(id, (event) => event.type === 'run.completed' && event.runId === runId)
    }
    const title = async () =>
      checked('getSnapshot', await served.get(`/conversations/${id}`)).conversation.title
    expect(await title()).toBe('new')
    await send('Map the routes.\nAll of them.')
    expect(await title()).toBe('Map the routes.')
    await served.until(
      id,
      (event) => event.type === 'conversation.updated' && event.title === 'Map the routes.',
    )
    await send('And the tests.')
    expect(await title()).toBe('Map the routes.')
    const named = checked('createConversation', await served.post('/conversations', { title: 'a plan' }))
    await served.post(`/branches/${named.branchId}/messages`, { text: 'Something else.', model })
    const shown = checked('getSnapshot', await served.get(`/conversations/${named.conversationId}`))
    expect(shown.conversation.title).toBe('a plan')
  })

  test('is not made when nothing can be said in it', async () => {
    const before = served.store.count('conversations', {})
    const refused = await served.post('/conversations', { text: 'x', model: 'nobody/knows' })
    expect(refused.status).toBe(422)
    expect((await served.post('/conversations', { text: 'x', agent: 'nobody' })).status).toBe(422)
    expect((await served.post('/conversations', { text: 'x', directory: '/does/not/exist' })).status).toBe(
      422,
    )
    expect(served.store.count('conversations', {})).toBe(before)
  })

  test('takes a message while a run works: at its next turn, or once it is idle', async () => {
    const began = await served.begin({ '*': [touch('a'), { text: 'first' }, { text: 'second' }] })
    const approvalId = await approvalOf(began)
    const path = `/branches/${began.branchId}/messages`
    const steer = checked('sendMessage', await served.post(path, { text: 'now', mode: 'steer' }))
    const refused = await served.post(path, { text: 'with other turns', maxTurns: 3 })
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      409,
      expect.stringContaining('keeps its turns: 3 turns would have no effect'),
    ])
    const later = checked('sendMessage', await served.post(path, { text: 'later' }))
    expect([steer.runId, later.runId]).toEqual([began.runId, began.runId])
    const inbox = checked('listInbox', await served.get(`/branches/${began.branchId}/inbox`))
    expect(inbox).toMatchObject([
      { id: steer.itemId, mode: 'steer', text: 'now' },
      { id: later.itemId, mode: 'follow_up' },
    ])
    const item = `/api/inbox/${later.itemId}`
    checked('getInboxItem', await served.call('GET', item))
    checked('changeInboxItem', await served.call('PATCH', item, { text: 'even later' }))
    checked('answerApproval', await served.post(`/approvals/${approvalId}`, { answer: 'once' }))
    await served.until(
      began.conversationId,
      (event) => event.type === 'run.completed' && event.runId !== began.runId,
    )
    expect((await served.call('DELETE', item)).status).toBe(409)
    const { text } = served.store.get('inbox', later.itemId!)!
    expect(text).toBe('even later')
  })

  test('is paused, goes on by a message, is interrupted and continued, and ends', async () => {
    const began = await served.begin({ '*': [touch('a'), touch('b'), { text: 'end' }] })
    await approvalOf(began)
    const { conversationId: id, branchId, runId } = began
    const interrupted = checked('interruptConversation', await served.post(`/conversations/${id}/interrupt`))
    expect(interrupted).toMatchObject({ runs: 1, status: 'paused' })
    expect((await served.post(`/runs/${runId}/interrupt`)).status).toBe(409)
    expect((await served.post(`/runs/${runId}/steer`, { text: 'x' })).status).toBe(409)
    const sent = checked(
      'sendMessage',
      await served.post(`/branches/${branchId}/messages`, { text: 'go on' }),
    )
    expect(sent.runId).toBe(runId)
    expect(await served.post(`/runs/${runId}/cancel`, { ifStoppedAt: 5 })).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringMatching(/^run_\w+ is \w+ and has not been paused since 5$/) } },
    })
    const since = { ifStoppedAt: interrupted.endedAt }
    expect(await served.post(`/runs/${runId}/cancel`, since)).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', hint: expect.stringContaining('it has resumed since then') } },
    })
    const again = checked('interruptRun', await served.post(`/runs/${runId}/interrupt`))
    const cancelled = await served.post(`/runs/${runId}/cancel`, { ifStoppedAt: again.endedAt })
    expect(checked('cancelRun', cancelled)).toMatchObject({ outcome: 'cancelled' })
    expect(await served.post(`/runs/${runId}/cancel`)).toMatchObject({
      body: { outcome: 'already_finished' },
    })
    checked('continueRun', await served.post(`/runs/${runId}/continue`, { text: 'again' }))
    checked('closeConversation', await served.post(`/conversations/${id}/close`))
    checked('getRun', await served.get(`/runs/${runId}`))
    checked('listRuns', await served.get(`/runs?status=all&conversation=${id}`))
    for (const named of [`conversation=${id}`, `branch=${branchId}`]) {
      const ended = checked('listRuns', await served.get(`/runs?${named}`)).map((each) => each.id)
      expect(ended).toContain(runId)
    }
    const open = checked('listRuns', await served.get('/runs')).map((each) => each.id)
    expect(open).not.toContain(runId)
    checked('getBranch', await served.get(`/branches/${branchId}`))
  })

  test('is forked, edited and regenerated: what was said before stays', async () => {
    const answers = ['one', 'two', 'three', 'four'].map((text) => ({ text }))
    const { conversationId, branchId } = await served.begin({ '*': answers })
    await served.ended(conversationId)
    const messages = () => served.store.find('messages', { where: { branchId }, orderBy: 'position' })
    const [, user, answer] = messages()
    const bare = checked('forkMessage', await served.post(`/messages/${answer!.id}/fork`))
    expect(bare.runId).toBeUndefined()
    for (const [name, path, body] of [
      ['forkMessage', `/messages/${answer!.id}/fork`, { text: 'what else' }],
      ['editMessage', `/messages/${user!.id}/edit`, { text: 'hello again' }],
      ['regenerateMessage', `/messages/${answer!.id}/regenerate`, {}],
    ] as const) {
      const { runId, branchId: fork } = checked<'forkMessage' | 'editMessage'>(
        name as 'forkMessage',
        await served.post(path, body),
      )
      await served.until(conversationId, (event) => event.type === 'run.completed' && event.runId === runId)
      expect(served.store.get('branches', fork)).toMatchObject({ kind: 'fork', inheritContext: true })
    }
    expect((await served.post(`/messages/${answer!.id}/edit`, { text: 'x' })).status).toBe(409)
    expect(messages()).toHaveLength(3)
  })

  test('works on a fork for the turns that were given, however it begins there', async () => {
    const answers = Array.from({ length: 7 }, (_, i) => ({ text: `answer ${i}` }))
    const { conversationId, branchId } = await served.begin({ '*': answers })
    await served.ended(conversationId)
    const [, user, answer] = served.store.find('messages', { where: { branchId }, orderBy: 'position' })
    const bare = async () => (await served.post(`/messages/${answer!.id}/fork`)).body['branchId'] as string
    for (const [path, body] of [
      [`/messages/${answer!.id}/fork`, { text: 'what else' }],
      [`/messages/${user!.id}/edit`, { text: 'hello again' }],
      [`/messages/${answer!.id}/regenerate`, {}],
      [`/branches/${await bare()}/messages`, { text: 'go' }],
      [`/branches/${await bare()}/continue`, {}],
    ] as const) {
      const begun = await served.post(path, { ...body, maxTurns: 2 })
      const runId = begun.body['runId'] as RunId
      await served.until(conversationId, (event) => event.type === 'run.completed' && event.runId === runId)
      expect([path, served.store.get('runs', runId)!.limits.maxTurns]).toEqual([path, 2])
    }
  })

  test.each([{ model: 'offline' }, { maxTurns: 2 }, { budgetUsd: 1 }])(
    'refuses %j where no text begins the run that it is for',
    async (order) => {
      const { conversationId, branchId } = await served.begin({ '*': [{ text: 'one' }] })
      await served.ended(conversationId)
      const { id } = served.store.find('messages', { where: { branchId, role: 'assistant' } })[0]!
      const count = () => [served.store.count('branches', {}), served.store.count('conversations', {})]
      const before = count()
      for (const path of [`/messages/${id}/fork`, '/conversations']) {
        const answer = await served.post(path, order)
        expect([path, answer.status, ServedUser.why(answer)]).toEqual([
          path,
          422,
          expect.stringContaining('expected text'),
        ])
      }
      expect(count()).toEqual(before)
    },
  )

  test('has subagents that a person starts, and exports as one document', async () => {
    const { conversationId, branchId } = await served.begin({
      main: [{ text: 'hi' }],
      explore: [{ text: 'I looked.' }, { text: 'I am sure.' }],
    })
    await served.ended(conversationId)
    const order = { task: 'look', agent: 'explore' }
    const { runId } = checked('spawnOnBranch', await served.post(`/branches/${branchId}/spawn`, order))
    await served.until(conversationId, (event) => event.type === 'run.completed' && event.runId === runId)
    const { body } = await served.get(`/conversations/${conversationId}/export`)
    expect(body).toMatchObject({ id: conversationId, version: expect.anything() })
  })

  test('that has completed says in the list what is left below it, as `ls --json` does', async () => {
    const input = { prompt: 'look', description: 'look', subagent_type: 'general', background: true }
    const main = [{ toolCalls: [{ tool: 'task', input }] }, { text: 'done' }]
    const { conversationId } = await served.begin({ main, general: [touch('x')] })
    const row = async () => {
      const rows = checked('listConversations', await served.get('/conversations'))
      return rows.find(({ id }) => id === conversationId)
    }
    await served.until(conversationId, ({ type }) => type === 'approval.requested')
    await served.ended(conversationId)
    expect(await row()).toMatchObject({ status: 'completed', left: '1 subagent needs you' })
    const [child] = served.store.find('runs', { where: { conversationId, agent: 'general' } })
    await served.post(`/runs/${child!.id}/interrupt`)
    expect(await row()).toMatchObject({ status: 'completed', left: '1 subagent paused' })
  })

  test('is exported as a file for people, which a browser keeps and never runs', async () => {
    const { conversationId } = await served.begin({ main: [{ text: '<script>hit()</script>' }] })
    await served.ended(conversationId)
    const answers = ['html', 'md', 'exe'].map((format) =>
      served.get(`/conversations/${conversationId}/export?format=${format}`),
    )
    const [page, markdown, wrong] = await Promise.all(answers)
    expect(page!.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page!.headers.get('content-disposition')).toBe(`attachment; filename="${conversationId}.html"`)
    expect(page!.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'unsafe-inline'; [^]*sandbox$/,
    )
    expect(page!.body).toMatchObject({ text: expect.stringContaining('&lt;script&gt;hit()&lt;/script&gt;') })
    expect(markdown!.body).toMatchObject({ text: expect.stringMatching(/^# /) })
    expect(wrong!.status).toBe(422)
  })
})

describe('approvals and questions', () => {
  test('are answered once: the second tab is told who did', async () => {
    const began = await served.begin({ '*': [touch('c'), { text: 'done' }] })
    const path = `/approvals/${await approvalOf(began)}`
    const listed = checked(
      'listApprovals',
      await served.get(`/approvals?conversation=${began.conversationId}`),
    )
    expect(listed).toHaveLength(1)
    const answers = await Promise.all([
      served.post(path, { answer: 'once', by: 'the first tab' }),
      served.post(path, { answer: 'deny', by: 'the second tab' }),
    ])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const winner = answers[0].status === 200 ? 'the first tab' : 'the second tab'
    expect(ServedUser.why(answers.find(({ status }) => status === 409)!)).toContain(`by ${winner}`)
  })

  test('in words too', async () => {
    const ask = { toolCalls: [{ tool: 'ask_user', input: { question: 'Which?' } }] }
    const { conversationId } = await served.begin({ '*': [ask, { text: 'thanks' }] })
    const asked = await served.until(conversationId, ({ type }) => type === 'question.asked')
    const [question] = checked('listQuestions', await served.get('/questions'))
    expect(asked).toMatchObject({ questionId: question!.id })
    checked('answerQuestion', await served.post(`/questions/${question!.id}`, { text: 'this' }))
    expect((await served.post(`/questions/${question!.id}`, { text: 'that' })).status).toBe(409)
  })
})

test('runs that go on are found without a look at the conversations in which nothing does', async () => {
  const model = { '*': [{ toolCalls: [{ tool: 'ask_user', input: { question: 'Which?' } }] }] }
  const { conversationId, runId } = await served.begin(model)
  await served.until(conversationId, ({ type }) => type === 'question.asked')
  const read = async () => {
    const find = vi.spyOn(served.store, 'find')
    const listed = checked('listRuns', await served.get('/runs')).map(({ id }) => id)
    expect(listed).toContain(runId)
    const reads = find.mock.calls.length
    find.mockRestore()
    return reads
  }
  const idle = 20
  const before = await read()
  for (let i = 0; i < idle; i++) await served.post('/conversations', { title: 'idle' })
  // a run that is still settling takes a few reads more or less
  expect(await read()).toBeLessThan(before + idle / 2)
  await served.post(`/conversations/${conversationId}/cancel`)
})

test('what has nothing to go on with is no fault of the fields', async () => {
  const { branchId } = (await served.post('/conversations', { title: 'empty' })).body as Began
  for (const verb of ['continue', 'pause', 'interrupt'])
    expect([verb, (await served.post(`/branches/${branchId}/${verb}`)).status]).toEqual([verb, 409])
})

describe('an Idempotency-Key', () => {
  const key = (name: string) => ({ 'idempotency-key': name })

  test('has a call done once, however often and at the same time it is sent', async () => {
    const before = served.store.count('conversations', {})
    const sent = await Promise.all(
      [1, 2, 3].map(() => served.post('/conversations', { title: 'once' }, key('a'))),
    )
    const again = await served.post('/conversations', { title: 'once' }, key('a'))
    expect(new Set([...sent, again].map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(served.store.count('conversations', {})).toBe(before + 1)
  })

  test('has what it deleted stay deleted, and says so again', async () => {
    const { conversationId: id } = (await served.post('/conversations')).body as Began
    const remove = () => served.call('DELETE', `/api/conversations/${id}`, undefined, key('d'))
    const first = await remove()
    expect([first.status, (await remove()).body]).toEqual([200, first.body])
    const unknown = await served.call('DELETE', '/api/conversations/x', undefined, key('e'))
    expect(unknown.status).toBe(404)
  })

  test('belongs to one call', async () => {
    await served.post('/conversations', { title: 'x' }, key('b'))
    expect((await served.post('/conversations', { title: 'y' }, key('b'))).status).toBe(409)
    expect((await served.post('/conversations', { title: 'y' }, key(' '.repeat(3)))).status).toBe(422)
  })

  test('of a call that a process ended over is not done again', async () => {
    await served.post('/conversations', { title: 'z' }, key('c'))
    await served.store.tx((tx) => tx.update('idempotency', 'c', { answer: null }), { durable: true })
    const refused = await served.post('/conversations', { title: 'z' }, key('c'))
    expect(refused.status).toBe(409)
    expect(ServedUser.why(refused)).toContain('its effect is unknown')
  })
})

describe('what there is', () => {
  test.each(['listAgents', 'listModels', 'listTools', 'getConfig', 'listConversations'] as const)(
    '%s',
    async (name) => {
      checked(name, await served.get(paths[name][1]))
    },
  )

  test('an OpenAPI document with every route', async () => {
    const { body } = await served.get('/openapi.json')
    const operations = Object.values(body['paths'] as object).flatMap((each) => Object.values(each as object))
    const ids = operations.map((each) => (each as { operationId?: string }).operationId)
    expect(ids.filter((id) => id !== undefined).toSorted()).toEqual(Object.keys(paths).toSorted())
  })
})

type Operation = { readonly responses: Record<string, { readonly content: object }> }

test('the OpenAPI document says how the routes are answered that have no schema of their own', async () => {
  const { conversationId: id } = await served.begin({ '*': [{ text: 'x' }] })
  await served.ended(id)
  const content = new TextEncoder().encode('x')
  const artifact = {
    id: `art_${'0'.repeat(26)}` as ArtifactId,
    conversationId: id,
    hash: 'x',
    mediaType: 'text/html',
    size: 1,
    content,
    createdAt: 0,
  }
  await served.store.tx((tx) => tx.insert('artifacts', artifact), { durable: true })
  const { body } = await served.get('/openapi.json')
  const operations = body['paths'] as Record<string, Record<string, Operation>>
  for (const [method, path, of, more] of [
    ['get', '/conversations/{id}/export', id, '?format=md'],
    ['get', '/conversations/{id}/export', id, '?format=html'],
    ['get', '/conversations/{id}/export', id, ''],
    ['get', '/conversations/{id}/events', id, '?after=10000'],
    ['get', '/artifacts/{id}', artifact.id, ''],
    ['post', '/links', '', ''],
  ] as const) {
    const answer = await served.call(method.toUpperCase(), `/api${path.replace('{id}', of)}${more}`)
    const type = answer.headers.get('content-type')!.split(';')[0]!
    const { responses } = operations[path]![method]!
    expect([path, type, Object.keys(responses[answer.status]?.content ?? {})]).toEqual([
      path,
      type,
      expect.arrayContaining([type]),
    ])
  }
})

describe('who may ask', () => {
  test('health is open, and tells nothing more than that', async () => {
    const answer = await fetch(`${served.server.url}/api/health`)
    expect(await answer.json()).toEqual({ ok: true, version: '0.0.0-test' })
  })

  test('a page elsewhere may not, even with the token', async () => {
    const { port } = served.server
    const send = (more: string) =>
      served.raw(
        `GET /api/conversations HTTP/1.1\r\nAuthorization: Bearer ${served.token}\r\nConnection: close\r\n${more}\r\n\r\n`,
      )
    const host = `Host: 127.0.0.1:${port}`
    for (const refused of [
      `Host: evil.example:${port}`,
      `Host: 127.0.0.1:${port + 1}`,
      'Host: 127.0.0.1',
      `${host}\r\nHost: evil.example`,
      `${host}\r\nOrigin: null`,
      `${host}\r\nOrigin: http://127.0.0.1:${port + 1}`,
      `${host}\r\nSec-Fetch-Site: same-site`,
      `${host}\r\nSec-Fetch-Site: cross-site`,
    ])
      expect([refused, (await send(refused))?.slice(9, 12)]).toEqual([
        refused,
        expect.stringMatching(/403|400/),
      ])
    expect((await send(`${host}\r\nOrigin: http://127.0.0.1:${port}`))?.slice(9, 12)).toBe('200')
  })

  test('token and server.json are for the eyes of their user alone', () => {
    for (const name of ['token', 'server.json'])
      expect(statSync(join(served.user.home, name)).mode & 0o777).toBe(0o600)
  })
})
