import { describe, expect, test } from 'vitest'
import { outputForModel } from '../core/report/report-envelope.ts'
import type { Part } from '../../test/support/actor.ts'
import { conversationProblems } from '../../test/support/conversation-problems.ts'
import { agent, tool } from '../../test/support/runtime-harness.ts'
import { call, expectOrder, slow, stage, type Staged } from '../../test/support/stage.ts'
import type { HarnessOptions } from '../../test/support/runtime-harness.ts'
import { textOf } from '../core/message.ts'
import type { StoredRun } from '../core/run.ts'
import { createMemoryStore } from '../store/memory.ts'
import { documentText } from '../export/document-text.ts'
import { exportConversation } from '../export/export-conversation.ts'
import { importConversation } from '../export/import-conversation.ts'
import { parseExport } from '../export/parse-export.ts'
import { randomIds } from '../runtime/log/new-id.ts'

const schema = { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] }
const judge = agent('judge', {
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  outputSchema: schema,
  exposeAsTool: { name: 'judge_it' },
})
const agents = [agent('main'), judge]
const judged: Part = { calls: [['judge_it', { text: 'x' }]] }

function staged(parts: Readonly<Record<string, readonly Part[]>>, more: HarnessOptions = {}): Staged {
  return stage({ main: [judged, { text: 'end' }], ...parts }, { agents, tools: [tool('read')], ...more })
}

function latest(h: Staged, name = 'judge'): StoredRun {
  return h.store.find('runs', { where: { agent: name }, orderBy: 'id' }).at(-1)!
}

/** What stands in the store: of messages and of results. */
function texts(h: Staged): string[] {
  const parts = h.store.find('parts', {}).map(({ part }) => part)
  return parts.map((part) => (part.type === 'tool-result' ? outputForModel(part.output) : textOf([part])))
}

/** Stops it in the middle of the first corrective try. */
async function stoppedIn(verb: 'pause' | 'cancel', parts: Readonly<Record<string, readonly Part[]>>) {
  const h = staged(parts)
  const started = await h.start('go')
  await h.clock.advance(1_000)
  expect(h.actor.of('judge')).toHaveLength(2)
  started.stop(verb)
  return { h, result: await h.clock.until(started.result) }
}

describe('a corrective try', () => {
  test('that is paused goes on, and what was tried still counts', async () => {
    const wrong = { text: 'still not' }
    const { h, result } = await stoppedIn('pause', {
      judge: [{ text: 'not JSON' }, slow('late'), wrong, wrong, wrong],
    })
    expect(latest(h)).toMatchObject({ status: 'paused', reason: 'parent', output: null })
    expect(result.status).toBe('paused')
    const { started } = await h.continue(result.branchId)
    await h.clock.until(started!.result)
    expect(latest(h)).toMatchObject({ status: 'failed', output: null })
    expect(texts(h).filter((text) => text.startsWith('Your report does not satisfy'))).toHaveLength(2)
    expectOrder(h, result)
  })

  test('that is paused may end well', async () => {
    const { h, result } = await stoppedIn('pause', {
      judge: [{ text: 'no' }, slow('late'), { text: '{"score":2}' }],
    })
    const { started } = await h.continue(result.branchId)
    await h.clock.until(started!.result)
    expect(latest(h)).toMatchObject({ status: 'completed', output: { score: 2 } })
    expect(texts(h).filter((text) => text.includes('>\n{"score":2}\n<'))).toHaveLength(1)
    expectOrder(h, result)
  })

  test('that is cancelled has no output, and the report so far', async () => {
    const { h, result } = await stoppedIn('cancel', { judge: [{ text: 'not JSON' }, slow('late')] })
    expect(latest(h)).toMatchObject({ status: 'cancelled', output: null })
    expect(result.status).toBe('cancelled')
    expectOrder(h, result)
  })

  test('reads what is said meanwhile, and goes on', async () => {
    const message = call('task_message', 0, { message: 'be kind' })
    const background = {
      calls: [['task', { prompt: 'x', subagent_type: 'judge', run_in_background: true }]],
    } as const
    const h = staged({
      main: [background, message, { text: 'end' }, { text: 'read' }],
      judge: [slow('not JSON', 500), { text: '{"score":1}' }, { text: '{"score":2}' }],
    })
    const result = await h.run('go')
    expect(latest(h)).toMatchObject({ status: 'completed', output: { score: 1 } })
    expect(h.actor.of('judge')[1]!.last).toContain('be kind')
    expectOrder(h, result)
  })
})

test('a typed call that was open when it was exported waits for its subagent where it is imported', async () => {
  const parts = { main: [judged], judge: [slow('late')] }
  const h = staged(parts)
  const started = await h.start('go')
  await h.clock.advance(1_000)
  const text = documentText(exportConversation(h.store, started.conversationId))
  const store = createMemoryStore()
  const id = await importConversation(store, parseExport(text), randomIds(h.clock))
  const other = staged({ main: [{ text: 'end' }], judge: [{ text: '{"score":4}' }] }, { store })
  expect(latest(other)).toMatchObject({ status: 'paused', reason: 'restart' })
  const { started: again } = await other.continue(id)
  const result = await other.clock.until(again!.result)
  expect(result.status).toBe('completed')
  expect(latest(other)).toMatchObject({ status: 'completed', output: { score: 4 } })
  expect(store.find('tool_calls', { where: { tool: 'judge_it' } })).toMatchObject([
    { status: 'completed', repeatable: true },
  ])
  expect(conversationProblems(store, id)).toEqual([])
  started.stop('cancel')
  await h.clock.until(started.result)
})

describe('a subagent that has to satisfy a schema', () => {
  test('that failed gets two new tries when it goes on', async () => {
    const wrong = { text: 'not JSON' }
    const h = staged({
      main: [judged, call('task', 0, { prompt: 'again' }), { text: 'end' }],
      judge: [wrong, wrong, wrong, wrong, wrong, { text: '{"score":3}' }],
    })
    const result = await h.run('go')
    const [first, second] = h.store.find('runs', { where: { agent: 'judge' }, orderBy: 'id' })
    expect(first).toMatchObject({ status: 'failed', turns: 3 })
    expect(second).toMatchObject({
      status: 'completed',
      turns: 3,
      output: { score: 3 },
      branchId: first!.branchId,
    })
    expectOrder(h, result)
  })

  test('that has ended has to satisfy it again when it goes on', async () => {
    const h = staged({
      main: [judged, call('task', 0, { prompt: 'and now?' }), { text: 'end' }],
      judge: [{ text: '{"score":1}' }, { text: 'two' }, { text: '{"score":2}' }],
    })
    const result = await h.run('go')
    expect(latest(h)).toMatchObject({ status: 'completed', output: { score: 2 } })
    expect(h.actor.of('judge')[2]!.last).toContain('Your report does not satisfy')
    expectOrder(h, result)
  })

  test('waits for its own background subagents first, and is checked once they have been read', async () => {
    const boss = { ...judge, name: 'general', exposeAsTool: { name: 'boss_it' } }
    const start = { prompt: 'x', subagent_type: 'helper', run_in_background: true }
    const h = staged(
      {
        main: [{ calls: [['boss_it', { text: 'x' }]] }, { text: 'end' }],
        general: [
          { calls: [['task', start]] },
          { text: 'waiting' },
          { text: 'not JSON' },
          { text: '{"score":5}' },
        ],
        helper: [slow('help', 500)],
      },
      { agents: [agent('main'), boss, agent('helper')], config: { limits: { maxDepth: 2 } } },
    )
    const result = await h.run('go')
    expect(latest(h, 'general')).toMatchObject({ status: 'completed', turns: 4, output: { score: 5 } })
    expect(h.actor.of('general')[2]!.last).toContain('subagent_report agent="helper"')
    expectOrder(h, result)
  })
})
