import { describe, expect, test } from 'vitest'
import { conversationProblems, expectEvents } from '../../../test/support/conversation-problems.ts'
import { harness, shownPrompt, stores, tool, type Harness } from '../../../test/support/runtime-harness.ts'
import type { EventOf } from '../../core/events.ts'
import type { ApprovalAnswer } from '../../core/run.ts'

const bash = tool('bash', {
  toolset: 'shell',
  effects: 'execute',
  title: ({ command }) => `Run ${command as string}`,
  subject: ({ command }) => [{ kind: 'command', value: command as string }],
  execute: ({ command }) => `ran ${command as string}`,
})
const run = (command: string) => ({ tool: 'bash', input: { command } })
const task = (prompt: string) => ({ tool: 'task', input: { prompt, subagent_type: 'explore' } })

function asked(h: Harness): EventOf<'approval.requested'>[] {
  h.flush()
  return h.told.filter((event) => event.type === 'approval.requested')
}

async function answer(h: Harness, nth: number, word: ApprovalAnswer, note?: string) {
  const answered = { answer: word, by: 'test', ...(note ? { note } : {}) }
  await h.clock.until(h.runtime.approvals.answer(asked(h)[nth]!.approvalId, answered))
  await h.clock.settle()
}

function commands(h: Harness) {
  return h.store
    .find('tool_calls', { where: { tool: 'bash' } })
    .map(({ title, status }) => `${title}: ${status}`)
}

test('unattended, a call that asks is denied at once, and the next request gives the reason', async () => {
  const h = harness({
    tools: [bash],
    script: { main: [{ toolCalls: [run('make')] }, { text: 'without it' }] },
  })
  const result = await h.run('go')
  expect(result).toMatchObject({ status: 'completed', text: 'without it' })
  expect(result.denials).toMatchObject([
    {
      agent: 'main',
      tool: 'bash',
      title: 'Run make',
      reason: 'unattended',
      detail: expect.stringContaining('nobody can answer here (unattended)'),
    },
  ])
  expect(result.receipts.denied).toMatchObject([{ title: 'Run make', code: 'unattended' }])
  const [call] = h.store.find('tool_calls', {})
  expect(call).toMatchObject({ status: 'denied', error: { code: 'unattended', reason: 'unattended' } })
  expect(shownPrompt(h.scripted.requests[1]!.options.prompt).at(-1)).toContain(
    'nobody can answer here (unattended)',
  )
  expect(asked(h)).toEqual([])
  expect(h.store.count('approvals', {})).toBe(0)
})

test('a call that a rule denies is denied attended or not, and is not listed as a denial', async () => {
  const layers = [{ name: 'user config', rules: [{ tool: 'bash', action: 'deny' as const }] }]
  const h = harness({
    tools: [bash],
    layers,
    script: { main: [{ toolCalls: [run('make')] }, { text: 'x' }] },
  })
  h.runtime.approvals.attend()
  const result = await h.run('go')
  expect(result.denials).toEqual([])
  expect(h.store.find('tool_calls', {})[0]).toMatchObject({
    status: 'denied',
    error: { code: 'denied', reason: 'denied_by_rule' },
  })
  expect(result.receipts.denied).toMatchObject([
    { code: 'denied_by_rule', why: expect.stringContaining('denied by user config') },
  ])
  expect(shownPrompt(h.scripted.requests[1]!.options.prompt).at(-1)).toContain('denied by user config')
})

describe.each(stores)('attended, in the %s store', (_, open) => {
  test('the run waits visibly and continues with the answer', async () => {
    const store = await open()
    const script = { main: [{ toolCalls: [run('make')] }, { text: 'done' }] }
    const h = harness({ store, tools: [bash], script })
    h.runtime.approvals.attend()
    const { result, runId, conversationId } = await h.start('go')
    await h.clock.settle()
    expect(store.get('runs', runId)).toMatchObject({
      status: 'waiting',
      reason: 'approval',
      waitingFor: { what: 'approval', detail: 'Run make' },
    })
    expect(store.find('tool_calls', {})[0]).toMatchObject({ status: 'awaiting_approval', resultPartId: null })
    expect(asked(h)).toMatchObject([
      {
        tool: 'bash',
        title: 'Run make',
        detail: 'make',
        directory: '/w',
        path: ['main'],
        position: 1,
        of: 1,
      },
    ])
    await h.clock.advance(3_600_000) // a person may take an hour: that is no stall
    await answer(h, 0, 'once')
    expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'done' })
    expect(commands(h)).toEqual(['Run make: completed'])
    h.flush()
    expectEvents(store, conversationId, h.told)
    expect(conversationProblems(store, conversationId)).toEqual([])
    await store.close()
  })

  test('the first answer counts; a later one fails and names who answered and when', async () => {
    const store = await open()
    const h = harness({
      store,
      tools: [bash],
      script: { main: [{ toolCalls: [run('make')] }, { text: 'x' }] },
    })
    h.runtime.approvals.attend()
    const { result } = await h.start('go')
    await h.clock.settle()
    const { approvalId } = asked(h)[0]!
    const both = await h.clock.until(
      Promise.allSettled([
        h.runtime.approvals.answer(approvalId, { answer: 'deny', by: 'ann' }),
        h.runtime.approvals.answer(approvalId, { answer: 'once', by: 'bob' }),
      ]),
    )
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    await h.clock.until(result)
    const third = h.runtime.approvals.answer(approvalId, { answer: 'once', by: 'bob' })
    await expect(third).rejects.toMatchObject({ code: 'conflict' })
    await expect(third).rejects.toThrow(/already answered: deny, by ann, 20\d\d-/)
    expect(store.find('approvals', {})).toMatchObject([{ answer: 'deny', answeredBy: 'ann' }])
    await store.close()
  })
})

test('the note of a denial reaches the model', async () => {
  const h = harness({ tools: [bash], script: { main: [{ toolCalls: [run('make')] }, { text: 'x' }] } })
  h.runtime.approvals.attend()
  const { result } = await h.start('go')
  await h.clock.settle()
  await answer(h, 0, 'deny', 'use ninja')
  const { denials, receipts } = await h.clock.until(result)
  expect(denials).toEqual([])
  expect(receipts.denied).toMatchObject([
    { code: 'denied_by_person', why: 'denied by User (test): use ninja' },
  ])
  h.flush()
  expect(h.told.find(({ type }) => type === 'tool.denied')).toMatchObject({
    error: { code: 'denied', reason: 'denied_by_person' },
  })
  expect(shownPrompt(h.scripted.requests[1]!.options.prompt).at(-1)).toContain(
    'denied by User (test): use ninja',
  )
})

test('siblings ask at the same time, and each knows its position in the queue', async () => {
  const script = {
    main: [{ toolCalls: [task('a'), task('b')] }, { text: 'end' }],
    explore: [
      { match: '^a$', toolCalls: [run('make a')] },
      { match: '^b$', toolCalls: [run('make b')] },
      { text: 'report' },
      { text: 'report' },
    ],
  }
  const h = harness({ tools: [bash], script })
  h.runtime.approvals.attend()
  const { result } = await h.start('go')
  await h.clock.settle()
  expect(asked(h).map(({ path, position, of }) => [path.join(' > '), position, of])).toEqual([
    ['main > explore', 1, 1],
    ['main > explore', 2, 2],
  ])
  await answer(h, 1, 'once')
  expect(h.store.find('runs', {}).map(({ status }) => status)).toEqual(['waiting', 'waiting', 'completed'])
  await answer(h, 0, 'deny')
  expect(await h.clock.until(result)).toMatchObject({ status: 'completed' })
  expect(commands(h)).toEqual(['Run make a: denied', 'Run make b: completed'])
})

test('approvals of another conversation are not in the queue', async () => {
  const h = harness({
    tools: [bash],
    script: { main: [{ toolCalls: [run('x')] }, { toolCalls: [run('y')] }] },
  })
  h.runtime.approvals.attend()
  const both = [await h.start('one'), await h.start('two')]
  await h.clock.settle()
  expect(asked(h).map(({ position, of }) => [position, of])).toEqual([
    [1, 1],
    [1, 1],
  ])
  for (const { stop } of both) stop('cancel')
  await h.clock.until(Promise.all(both.map(({ result }) => result)))
})

describe('an answer for more than one call', () => {
  const twice = (first: string, second: string) => [
    { toolCalls: [run(first)] },
    { toolCalls: [run(second)] },
    { text: 'end' },
  ]

  test('"always" holds for the whole conversation, including children, and only for the shown pattern', async () => {
    const script = {
      main: [
        { toolCalls: [run('npm test')] },
        { toolCalls: [task('a')] },
        { toolCalls: [run('rm -rf x')] },
        { text: 'end' },
      ],
      explore: [{ toolCalls: [run('npm test')] }, { text: 'report' }],
    }
    const h = harness({ tools: [bash], script })
    h.runtime.approvals.attend()
    const { result } = await h.start('go')
    await h.clock.settle()
    expect(asked(h)[0]!.grant).toMatchObject({ tool: 'bash' })
    await answer(h, 0, 'always')
    expect(asked(h).map(({ title }) => title)).toEqual(['Run npm test', 'Run rm -rf x'])
    await answer(h, 1, 'deny')
    await h.clock.until(result)
    expect(commands(h)).toEqual([
      'Run npm test: completed',
      'Run npm test: completed',
      'Run rm -rf x: denied',
    ])
  })

  test('"run" holds for this run and not for its children', async () => {
    const script = {
      main: [...twice('make', 'make').slice(0, 2), { toolCalls: [task('a')] }, { text: 'end' }],
      explore: [{ toolCalls: [run('make')] }, { text: 'report' }],
    }
    const h = harness({ tools: [bash], script })
    h.runtime.approvals.attend()
    const { result } = await h.start('go')
    await h.clock.settle()
    await answer(h, 0, 'run')
    expect(asked(h).map(({ path }) => path.join(' > '))).toEqual(['main', 'main > explore'])
    await answer(h, 1, 'once')
    await h.clock.until(result)
  })

  test('"once" holds once', async () => {
    const h = harness({ tools: [bash], script: { main: twice('make', 'make') } })
    h.runtime.approvals.attend()
    const { result } = await h.start('go')
    await h.clock.settle()
    await answer(h, 0, 'once')
    expect(asked(h)).toHaveLength(2)
    await answer(h, 1, 'once')
    await h.clock.until(result)
  })
})

test('stopping a run that asks closes its question and skips the call', async () => {
  for (const verb of ['pause', 'cancel'] as const) {
    const h = harness({ tools: [bash], script: { main: [{ toolCalls: [run('make'), run('make 2')] }] } })
    h.runtime.approvals.attend()
    const started = await h.start('go')
    await h.clock.settle()
    started.stop(verb)
    await h.clock.until(started.result)
    expect(commands(h)).toEqual(['Run make: skipped', 'bash: skipped'])
    expect(h.store.find('approvals', {})).toMatchObject([{ answer: 'deny', answeredBy: 'stop' }])
    await expect(
      h.runtime.approvals.answer(asked(h)[0]!.approvalId, { answer: 'once', by: 'late' }),
    ).rejects.toMatchObject({ code: 'conflict' })
    h.flush()
    expectEvents(h.store, started.conversationId, h.told)
    expect(conversationProblems(h.store, started.conversationId)).toEqual([])
  }
})

test('an answer that was not stored does not count: the question can be answered again', async () => {
  const h = harness({ tools: [bash], script: { main: [{ toolCalls: [run('make')] }, { text: 'done' }] } })
  h.runtime.approvals.attend()
  const { result } = await h.start('go')
  await h.clock.settle()
  const tx = h.store.tx.bind(h.store)
  h.store.tx = () => Promise.reject(new Error('full'))
  const { approvalId } = asked(h)[0]!
  await expect(h.runtime.approvals.answer(approvalId, { answer: 'once', by: 'a' })).rejects.toThrow('full')
  h.store.tx = tx
  await answer(h, 0, 'once')
  expect((await h.clock.until(result)).text).toBe('done')
})

test("each surface counts once for attendance, and a conversation's surface only for that conversation", () => {
  const { approvals } = harness().runtime
  const [here, elsewhere] = ['cnv_1', 'cnv_2'] as never[]
  const attended = () => [approvals.attended(here!), approvals.attended(elsewhere!)]
  const leave = [approvals.attend(), approvals.attend(), approvals.attend(here)] as const
  leave[0]()
  leave[0]()
  expect(attended()).toEqual([true, true])
  leave[1]()
  expect(attended()).toEqual([true, false])
  leave[2]()
  expect(attended()).toEqual([false, false])
})

test('an unknown id is not found', async () => {
  const { approvals } = harness().runtime
  await expect(approvals.answer('apr_x' as never, { answer: 'once', by: 'a' })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('an approved delegation can still hit a limit, and the run continues', async () => {
  const h = harness({
    layers: [{ name: 'user config', rules: [{ tool: 'task', action: 'ask' }] }],
    config: { limits: { maxSpawns: 0 } },
    script: { main: [{ toolCalls: [task('x')] }, { text: 'alone then' }] },
  })
  h.runtime.approvals.attend()
  const { result, conversationId } = await h.start('go')
  await h.clock.settle()
  await answer(h, 0, 'once')
  expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'alone then' })
  expect(h.store.find('tool_calls', {})).toMatchObject([{ status: 'failed', error: { code: 'spawn_limit' } }])
  expect(conversationProblems(h.store, conversationId)).toEqual([])
})
