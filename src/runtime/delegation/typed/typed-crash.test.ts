import { expect, test } from 'vitest'
import { conversationProblems, expectEvents } from '../../../../test/support/conversation-problems.ts'
import { beginsAfterMs, cutStore, type CutStore } from '../../../../test/support/cut-store.ts'
import {
  agent,
  finish,
  handClock,
  harness,
  rawModel,
  said,
  streamOf,
  tool,
  type Harness,
} from '../../../../test/support/runtime-harness.ts'
import { sleep } from '../../../core/clock.ts'
import { textOf } from '../../../core/message.ts'
import type { ModelRequest } from '../../../model/port.ts'

/** A typed call whose report is wrong twice and then right, beside one whose report stays wrong. */
const schema = { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] }
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const typed = (name: string) =>
  agent(name, { inputSchema, outputSchema: schema, exposeAsTool: { name: `${name}_it`, maxTurns: 8 } })
const agents = [agent('main'), typed('judge'), typed('liar')]

interface Life extends Harness {
  readonly store: CutStore
  readonly requests: ModelRequest[]
}

/** What an agent says follows from what it has been told: a process that comes after another one goes on with it. */
function life(store: CutStore): Life {
  const clock = handClock(beginsAfterMs(store))
  const requests: ModelRequest[] = []
  const model = rawModel(async (_, request) => {
    requests.push({ ...request, messages: [...request.messages] })
    await sleep(clock, request.agent === 'judge' ? 20 : 30, request.signal)
    return answerOf(request)
  })
  return { ...harness({ clock, model, tools: [tool('look')], agents, store }), store, requests }
}

function answerOf({ agent: name, messages }: ModelRequest) {
  const told = messages.filter(({ parts }) => textOf(parts).startsWith('Your report does not satisfy')).length
  const results = messages.filter(({ role }) => role === 'tool').length
  const call = (toolName: string, input: object, toolCallId = toolName) => ({
    type: 'tool-call',
    toolCallId,
    toolName,
    input: JSON.stringify(input),
  })
  if (name === 'main' && results === 0)
    return streamOf([call('judge_it', { text: 'a' }), call('liar_it', { text: 'b' }), finish('tool-calls')])
  if (name === 'main') return streamOf([...said('all is judged'), finish()])
  if (results === 0) return streamOf([...said('I look'), call('look', {}), finish('tool-calls')])
  const text = name === 'judge' && told === 2 ? '{"score": 7}' : `not JSON ${told}`
  return streamOf([...said(text), finish()])
}

function expectJudged(h: Life): void {
  h.flush()
  const conversation = h.store.find('conversations', {})[0]
  if (!conversation) return
  const events = expectEvents(h.store, conversation.id, h.told)
  expect(conversationProblems(h.store, conversation.id)).toEqual([])
  const runs = h.store.find('runs', {})
  const ends = Object.fromEntries(runs.map((run) => [run.agent, [run.status, run.output]]))
  expect(ends).toEqual({
    main: ['completed', null],
    judge: ['completed', { score: 7 }],
    liar: ['failed', null],
  })
  for (const run of runs.filter(({ depth }) => depth > 0)) {
    const delivered = events.filter(
      (event) => event.type === 'report.delivered' && event.fromRunId === run.id,
    )
    expect(delivered).toHaveLength(1)
    expect(run.turns).toBe(4)
    const told = h.store
      .find('messages', { where: { branchId: run.branchId, role: 'user' } })
      .flatMap(({ id }) => h.store.find('parts', { where: { messageId: id } }))
      .filter(({ part }) => textOf([part]).startsWith('Your report does not satisfy'))
    expect(told, run.agent).toHaveLength(2)
  }
}

test('typed calls with corrective tries that die after any commit are taken up, and end as they would have', async () => {
  const first = life(cutStore())
  await first.run('go')
  expectJudged(first)
  expect(first.store.commits).toBeGreaterThan(20)
  for (let commits = 1; commits < first.store.commits; commits++) {
    const second = life(await first.store.cut(commits))
    await second.recover()
    expectJudged(second)
  }
})

test('and so does a recovery that dies', async () => {
  const first = life(cutStore())
  await first.run('go')
  for (let commits = 4; commits < first.store.commits; commits += 6) {
    const second = life(await first.store.cut(commits))
    await second.recover()
    for (let more = commits + 1; more < second.store.commits; more += 4) {
      const third = life(await second.store.cut(more))
      await third.recover()
      expectJudged(third)
    }
  }
})
