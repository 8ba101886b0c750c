import { describe, expect, test } from 'vitest'
import { conversationProblems, expectEvents } from '../../../test/support/conversation-problems.ts'
import { beginsAfterMs, cutStore, type CutStore } from '../../../test/support/cut-store.ts'
import {
  agent,
  called,
  finish,
  handClock,
  harness,
  rawModel,
  said,
  shownPrompt,
  stores,
  tool,
  type Harness,
  type HarnessOptions,
} from '../../../test/support/runtime-harness.ts'
import { askUserTool } from '../../tools/ask-user.ts'
import type { EventOf } from '../../core/events.ts'

const ask = (question: string, options?: readonly string[]) => ({
  tool: 'ask_user',
  input: { question, ...(options ? { options: [...options] } : {}) },
})
const task = (prompt: string, subagent_type = 'critic') => ({
  tool: 'task',
  input: { prompt, subagent_type },
})
const CRITIC = agent('critic', { tools: ['ask_user'] })
const AGENTS = [agent('main'), agent('general'), CRITIC]

const note = tool('note', { toolset: 'shell', effects: 'execute' })

function asks(script: NonNullable<HarnessOptions['script']>, more: HarnessOptions = {}): Harness {
  return harness({ tools: [askUserTool(), note], agents: AGENTS, script, ...more })
}

function asked(h: Harness): EventOf<'question.asked'>[] {
  h.flush()
  return h.told.filter((event) => event.type === 'question.asked')
}

function approvalOf(h: Harness): EventOf<'approval.requested'> {
  h.flush()
  return h.told.find((event) => event.type === 'approval.requested')!
}

async function answer(h: Harness, nth: number, text: string | null, by = 'test') {
  await h.clock.until(h.runtime.questions.answer(asked(h)[nth]!.questionId, { text, by }))
  await h.clock.settle()
}

const byText = (a: string, b: string) => (a < b ? -1 : 1)

const lastLine = (h: Harness) => shownPrompt(h.scripted.requests.at(-1)!.options.prompt).at(-1)

describe('a question', () => {
  describe.each(stores)('in the %s store', (_, open) => {
    test('makes the run wait visibly, and its answer is the result', async () => {
      const store = await open()
      const h = asks(
        { main: [{ toolCalls: [ask('Which?', ['this', 'that'])] }, { text: 'so be it' }] },
        { store },
      )
      h.runtime.approvals.attend()
      const { result, runId, conversationId } = await h.start('go')
      await h.clock.settle()
      const [event] = asked(h)
      expect(event).toMatchObject({
        question: 'Which?',
        options: ['this', 'that'],
        path: ['main'],
        position: 1,
        of: 1,
      })
      expect(store.get('runs', runId)).toMatchObject({
        status: 'waiting',
        reason: 'question',
        waitingFor: { what: 'question', detail: 'Which?', until: expect.any(Number) },
      })
      await h.clock.advance(7_200_000) // a person may take two hours: that is no stall
      await answer(h, 0, 'that')
      expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'so be it' })
      expect(lastLine(h)).toBe('tool result(ask_user: that)')
      expect(store.find('questions', {})).toMatchObject([
        { id: event!.questionId, answer: 'that', answeredBy: 'test', question: 'Which?' },
      ])
      h.flush()
      expectEvents(store, conversationId, h.told)
      expect(conversationProblems(store, conversationId)).toEqual([])
      await store.close()
    })

    test('is answered once; a later answer fails and names who answered and when', async () => {
      const store = await open()
      const h = asks({ main: [{ toolCalls: [ask('Which?')] }, { text: 'x' }] }, { store })
      h.runtime.approvals.attend()
      const { result } = await h.start('go')
      await h.clock.settle()
      const { questionId } = asked(h)[0]!
      const both = await h.clock.until(
        Promise.allSettled([
          h.runtime.questions.answer(questionId, { text: 'one', by: 'ann' }),
          h.runtime.questions.answer(questionId, { text: 'two', by: 'bob' }),
        ]),
      )
      expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
      await h.clock.until(result)
      const third = h.runtime.questions.answer(questionId, { text: 'three', by: 'bob' })
      await expect(third).rejects.toThrow(/already answered: one, by ann, 20\d\d-/)
      await expect(third).rejects.toMatchObject({ code: 'conflict' })
      expect(lastLine(h)).toBe('tool result(ask_user: one)')
      await store.close()
    })
  })

  test('fails at once if nobody can answer, and the run continues', async () => {
    const h = asks({ main: [{ toolCalls: [ask('Which?')] }, { text: 'took this' }] })
    const result = await h.run('go')
    expect(result).toMatchObject({ status: 'completed', text: 'took this', denials: [] })
    expect(h.store.find('tool_calls', {})).toMatchObject([
      { status: 'failed', error: { code: 'unattended' } },
    ])
    expect(h.store.count('questions', {})).toBe(0)
    expect(lastLine(h)).toContain('nobody can answer here (unattended)')
  })

  test('expires limits.approvalMs after it was asked, and the model reads that', async () => {
    const h = asks(
      { main: [{ toolCalls: [ask('Which?')] }, { text: 'x' }] },
      { config: { limits: { approvalMs: 60_000 } } },
    )
    h.runtime.approvals.attend()
    const { result, conversationId } = await h.start('go')
    await h.clock.settle()
    await h.clock.advance(59_999)
    expect(h.store.find('questions', {})).toMatchObject([{ answeredAt: null }])
    await h.clock.advance(1)
    expect(await h.clock.until(result)).toMatchObject({ status: 'completed' })
    expect(h.store.find('questions', {})).toMatchObject([{ answer: null, answeredBy: 'time limit' }])
    expect(h.store.find('tool_calls', {})).toMatchObject([{ status: 'failed', error: { code: 'expired' } }])
    expect(lastLine(h)).toContain('nobody answered in time')
    expect(conversationProblems(h.store, conversationId)).toEqual([])
  })

  test.each(['pause', 'cancel'] as const)('is withdrawn by a stop: %s', async (verb) => {
    const h = asks({ main: [{ toolCalls: [ask('Which?')] }] })
    h.runtime.approvals.attend()
    const { result, stop, conversationId } = await h.start('go')
    await h.clock.settle()
    stop(verb)
    await h.clock.until(result)
    expect(h.store.find('questions', {})).toMatchObject([{ answer: null, answeredBy: 'stop' }])
    const { questionId } = asked(h)[0]!
    const late = h.runtime.questions.answer(questionId, { text: 'x', by: 'late' })
    await expect(late).rejects.toThrow('already closed without an answer, by stop')
    h.flush()
    expectEvents(h.store, conversationId, h.told)
    expect(conversationProblems(h.store, conversationId)).toEqual([])
  })

  test('can be closed without an answer', async () => {
    const h = asks({ main: [{ toolCalls: [ask('Which?')] }, { text: 'x' }] })
    h.runtime.approvals.attend()
    const { result } = await h.start('go')
    await h.clock.settle()
    await answer(h, 0, null)
    expect((await h.clock.until(result)).status).toBe('completed')
    expect(lastLine(h)).toContain('test gave no answer')
  })

  test('stops the clocks of the run while a person thinks', async () => {
    const h = asks(
      { main: [{ toolCalls: [ask('Which?')] }, { text: 'x' }] },
      { config: { limits: { timeoutMs: 1_000, stallMs: 500 } } },
    )
    h.runtime.approvals.attend()
    const { result } = await h.start('go')
    await h.clock.settle()
    await h.clock.advance(3_600_000)
    await answer(h, 0, 'this')
    expect(await h.clock.until(result)).toMatchObject({ status: 'completed' })
  })

  test.each([
    ['no text', { question: ' ' }],
    ['no question', {}],
    ['a question without an end', { question: 'x'.repeat(4_001) }],
    ['too many options', { question: 'x', options: Array.from({ length: 11 }, (_, i) => `${i}`) }],
    ['an option without an end', { question: 'x', options: ['y'.repeat(501)] }],
    ['options that are no texts', { question: 'x', options: [{}] }],
  ])('is refused by name with %s', async (_, input) => {
    const h = asks({ main: [{ toolCalls: [{ tool: 'ask_user', input }] }, { text: 'x' }] })
    h.runtime.approvals.attend()
    expect((await h.run('go')).status).toBe('completed')
    expect(lastLine(h)).toMatch(/wrong input for ask_user: .*(question|options)/)
    expect(asked(h)).toEqual([])
  })
})

describe('several questions at a time', () => {
  test('let siblings continue, and share one queue with approvals', async () => {
    const h = asks(
      {
        main: [{ toolCalls: [task('a'), task('b', 'general')] }, { text: 'end' }],
        critic: [{ toolCalls: [ask('Which?')] }, { text: 'from the critic' }],
        general: [{ toolCalls: [{ tool: 'note', input: {} }] }, { text: 'from general' }],
      },
      { layers: [{ name: 'user config', rules: [{ tool: 'note', action: 'ask' }] }] },
    )
    h.runtime.approvals.attend()
    const { result } = await h.start('go')
    await h.clock.settle()
    const approval = approvalOf(h)
    const line = [approval, asked(h)[0]!].map(({ path, position, of }) => [path.join(' > '), position, of])
    expect(line.map(([path]) => path)).toEqual(['main > general', 'main > critic'])
    expect(line.map(([, position, of]) => `${position} of ${of}`).toSorted(byText)).toEqual([
      '1 of 1',
      '2 of 2',
    ])
    await h.clock.until(h.runtime.approvals.answer(approval.approvalId, { answer: 'once', by: 'test' }))
    await h.clock.settle()
    expect(h.store.find('runs', { where: { agent: 'general' } })).toMatchObject([{ status: 'completed' }])
    expect(h.store.find('runs', { where: { agent: 'critic' } })).toMatchObject([
      { status: 'waiting', reason: 'question' },
    ])
    await answer(h, 0, 'this')
    expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'end' })
  })

  test('of one run keep it waiting until the last is answered', async () => {
    const look = tool('look', { toolset: 'files' })
    const h = asks(
      {
        main: [{ toolCalls: [{ tool: 'look', input: {} }, ask('One?'), ask('Two?')] }, { text: 'end' }],
      },
      {
        tools: [askUserTool(), look],
        layers: [{ name: 'user config', rules: [{ tool: 'look', action: 'ask' }] }],
      },
    )
    h.runtime.approvals.attend()
    const { result, runId, conversationId } = await h.start('go')
    await h.clock.settle()
    const waitsFor = () => {
      const { status, reason, waitingFor } = h.store.get('runs', runId)!
      return [status, reason, waitingFor?.what, waitingFor?.detail]
    }
    expect(waitsFor()).toEqual(['waiting', 'approval', 'approval', 'look'])
    const approval = approvalOf(h)
    await h.clock.until(h.runtime.approvals.answer(approval.approvalId, { answer: 'once', by: 'test' }))
    await h.clock.settle()
    expect(waitsFor()).toEqual(['waiting', 'question', 'question', 'One?'])
    await answer(h, 0, '1')
    expect(waitsFor()).toEqual(['waiting', 'question', 'question', 'Two?'])
    await answer(h, 1, '2')
    expect(await h.clock.until(result)).toMatchObject({ status: 'completed' })
    h.flush()
    expectEvents(h.store, conversationId, h.told)
  })
})

describe('an agent that asks', () => {
  const tools = (h: Harness, name: string) =>
    h.scripted.requests.find(({ agent }) => agent === name)!.options.tools!.map((each) => each.name)

  test('is the main agent, or a subagent whose own tools name ask_user', async () => {
    const named = agent('named', { tools: ['note', 'AskUserQuestion'] })
    const all = agent('all', { tools: ['*'] })
    const h = asks(
      {
        main: [
          { toolCalls: [task('a'), task('b', 'general'), task('c', 'named'), task('d', 'all')] },
          { text: 'x' },
        ],
        critic: [{ text: 'x' }],
        general: [{ text: 'x' }],
        named: [{ text: 'x' }],
        all: [{ text: 'x' }],
      },
      { agents: [...AGENTS, named, all] },
    )
    await h.run('go')
    const has = (name: string) => tools(h, name).includes('ask_user')
    expect(['main', 'critic', 'named', 'general', 'all'].map(has)).toEqual([true, true, true, false, false])
    const systemOf = (name: string) =>
      shownPrompt(h.scripted.requests.find(({ agent }) => agent === name)!.options.prompt)[0]
    expect(systemOf('critic')).toContain('ask_user')
    expect(systemOf('general')).not.toContain('ask_user')
  })

  test('cannot be another subagent: its forged call is an unknown tool', async () => {
    const h = asks({
      main: [{ toolCalls: [task('a', 'general')] }, { text: 'x' }],
      general: [{ toolCalls: [ask('Which?')] }, { text: 'x' }],
    })
    h.runtime.approvals.attend()
    await h.run('go')
    expect(h.store.find('tool_calls', { where: { tool: 'ask_user' } })).toMatchObject([
      { status: 'failed', error: { code: 'unknown_tool' } },
    ])
  })

  test('may be at depth 3 below one that does not ask, and shows its whole path', async () => {
    const h = asks(
      {
        main: [{ toolCalls: [task('a', 'general')] }, { text: 'end' }],
        general: [
          { match: '^a$', toolCalls: [task('b', 'general')] },
          { match: '^b$', toolCalls: [task('c')] },
          { text: 'x' },
          { text: 'x' },
        ],
        critic: [{ toolCalls: [ask('Which?')] }, { text: 'x' }],
      },
      { config: { limits: { maxDepth: 3 } } },
    )
    h.runtime.approvals.attend()
    const { result } = await h.start('go')
    await h.clock.settle()
    expect(asked(h).map(({ path, depth }) => [path, depth])).toEqual([
      [['main', 'general', 'general', 'critic'], 3],
    ])
    await answer(h, 0, 'this')
    expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'end' })
  })
})

describe('a process that dies', () => {
  /** The model's answers depend only on its messages. */
  function life(store: CutStore): Harness & { readonly store: CutStore } {
    const clock = handClock(beginsAfterMs(store))
    const model = rawModel((_, request) => {
      const turn = request.messages.filter(({ role }) => role === 'assistant').length
      const isMain = request.agent === 'main'
      if (turn > 0) return [...said(`${request.agent} is done`), finish()]
      const input = isMain ? { prompt: 'ask', subagent_type: 'critic' } : { question: 'Which?' }
      return [called(isMain ? 'task' : 'ask_user', JSON.stringify(input)), finish('tool-calls')]
    })
    const h = harness({ clock, model, store, tools: [askUserTool()], agents: AGENTS })
    return { ...h, store }
  }

  async function first() {
    const h = life(cutStore())
    h.runtime.approvals.attend()
    const { result } = await h.start('go')
    await h.clock.settle()
    const waiting = h.store.commits
    await h.clock.until(h.runtime.questions.answer(asked(h)[0]!.questionId, { text: 'this', by: 'test' }))
    await h.clock.until(result)
    return { h, waiting }
  }

  test('after any commit asks again under the same id, or continues with the answer', async () => {
    const { h } = await first()
    let again = 0
    for (let commits = 1; commits < h.store.commits; commits++) {
      const before = await h.store.cut(commits)
      const second = life(await before.cut(commits))
      second.runtime.approvals.attend()
      await second.recover()
      const known = before.find('questions', {})
      const open = second.store.find('questions', { where: { answeredAt: null } })
      expect(open.length, `after ${commits}`).toBeLessThanOrEqual(1)
      if (known.length > 0)
        expect(second.store.find('questions', {}).map(({ id }) => id)).toEqual([known[0]!.id])
      if (open[0]) {
        if (known.length > 0) again++
        await second.clock.until(second.runtime.questions.answer(open[0].id, { text: 'this', by: 'test' }))
      }
      await second.clock.settle()
      const [conversation] = second.store.find('conversations', {})
      if (!conversation) continue
      for (const run of second.store.find('runs', {}))
        expect(run.status, `after ${commits}`).toBe('completed')
      expect(second.store.find('questions', {})).toMatchObject([{ answer: 'this', answeredBy: 'test' }])
      second.flush()
      expectEvents(second.store, conversation.id, second.told)
      expect(conversationProblems(second.store, conversation.id)).toEqual([])
    }
    expect(again).toBeGreaterThan(0)
  })

  test('leaves a question that anyone can answer; the answer waits for the next owner', async () => {
    const { h, waiting } = await first()
    const second = life(await h.store.cut(waiting))
    const [question] = second.store.find('questions', {})
    const answered = await second.perform(question!.conversationId, {
      verb: 'answer',
      target: question!.id,
      args: { text: 'that', by: 'elsewhere' },
    })
    expect(answered).toEqual({ questionId: question!.id, waits: true })
    await second.recover()
    expect(second.store.find('questions', {})).toMatchObject([{ answer: 'that', answeredBy: 'elsewhere' }])
    expect(second.store.find('runs', {}).map(({ status }) => status)).toEqual(['completed', 'completed'])
  })

  test('leaves a question open even if nobody can answer it later', async () => {
    const { h, waiting } = await first()
    const left = await h.store.cut(waiting)
    await life(left).recover()
    expect(left.find('questions', {})).toMatchObject([{ answeredAt: null }])
    expect(left.find('runs', { where: { agent: 'critic' } })).toMatchObject([
      { status: 'waiting', reason: 'question' },
    ])
  })

  test('leaves a question that expires by the time it was asked', async () => {
    const { h, waiting } = await first()
    const left = await h.store.cut(waiting)
    const second = life(left)
    second.runtime.approvals.attend()
    const [question] = left.find('questions', {})
    await second.recover()
    const rest = question!.askedAt + 86_400_000 - second.clock.now()
    expect(rest).toBeLessThan(86_400_000)
    await second.clock.advance(rest - 1)
    expect(left.find('questions', {})).toMatchObject([{ answeredAt: null }])
    await second.clock.advance(1)
    expect(left.find('questions', {})).toMatchObject([{ answeredBy: 'time limit' }])
  })
})
