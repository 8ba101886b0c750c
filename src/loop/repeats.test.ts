import { describe, expect, test } from 'vitest'
import { cutStore } from '../../test/support/cut-store.ts'
import {
  called,
  finish,
  handClock,
  harness,
  rawModel,
  shownPrompt,
  tool,
} from '../../test/support/runtime-harness.ts'

const grep = { tool: 'grep', input: { pattern: 'TODO' } }
const WARNING = /^user text\(Your last 5 calls were the same/

/** A tool that counts how often it was run. */
function counted(name: string, answer: (nth: number) => string = () => 'no match') {
  let runs = 0
  return { tool: tool(name, { execute: () => answer(++runs) }), runs: () => runs }
}

const said5 = (prompt: Parameters<typeof shownPrompt>[0]) =>
  shownPrompt(prompt).filter((line) => WARNING.test(line)).length

test('364 equal calls end after five, with one warning before, in a report that says why', async () => {
  const { tool, runs } = counted('grep')
  const h = harness({
    tools: [tool],
    script: { main: Array.from({ length: 364 }, () => ({ toolCalls: [grep] })) },
  })
  expect(await h.run('go')).toMatchObject({
    status: 'paused',
    reason: 'stall',
    endReason: 'stall',
    turns: 6,
    note: expect.stringMatching(/^5 equal calls in a row had the same result; no text/),
  })
  expect(runs()).toBe(5)
  expect(h.scripted.requests.map(({ options }) => said5(options.prompt))).toEqual([0, 0, 0, 0, 0, 1])
  const calls = h.store.find('tool_calls', { orderBy: 'id' }).map(({ status }) => status)
  expect(calls).toEqual([...Array(5).fill('completed'), 'skipped'])
})

test('so do 364 in one turn: the warning comes before the end there, too', async () => {
  const { tool, runs } = counted('grep')
  const main = [{ toolCalls: Array(364).fill(grep) }, { toolCalls: [grep] }]
  const h = harness({ tools: [tool], script: { main } })
  expect(await h.run('go')).toMatchObject({ status: 'paused', endReason: 'stall', turns: 2 })
  expect(runs()).toBe(5)
  expect(said5(h.scripted.requests[1]!.options.prompt)).toBe(1)
  const heeds = harness({ tools: [tool], script: { main: [main[0]!, { text: 'nothing there' }] } })
  expect(await heeds.run('go')).toMatchObject({ status: 'completed', text: 'nothing there' })
})

test('another call before it ends the circle, also in the same turn', async () => {
  const { tool, runs } = counted('grep')
  const other = counted('read')
  const main = [
    ...Array.from({ length: 5 }, () => ({ toolCalls: [grep] })),
    { toolCalls: [{ tool: 'read', input: { path: 'a' } }, grep] },
    { text: 'nothing there' },
  ]
  const h = harness({ tools: [tool, other.tool], script: { main } })
  expect(await h.run('go')).toMatchObject({ status: 'completed', text: 'nothing there' })
  expect([runs(), other.runs()]).toEqual([6, 1])
})

test('what somebody says begins the count again', async () => {
  const { tool, runs } = counted('grep')
  const slow = { toolCalls: [grep], delayMs: 10_000 }
  const h = harness({ tools: [tool], script: { main: [...Array(8).fill(slow), { text: 'end' }] } })
  const { result, branchId, conversationId } = await h.start('go')
  await h.clock.advance(45_000)
  await h.perform(conversationId, { verb: 'steer', target: branchId, args: { text: 'try again' } })
  expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'end' })
  expect(runs()).toBe(8)
})

test('calls of answers that are cut again and again are a circle', async () => {
  const write = tool('write', { effects: 'write' })
  const model = rawModel(() => [called('write', '{"content":"half'), finish('length')])
  const h = harness({ model, tools: [write] })
  expect(await h.run('go')).toMatchObject({ status: 'paused', endReason: 'stall', turns: 6 })
})

test('equal calls are equal in whatever order their fields are written, inner ones too', async () => {
  const { tool, runs } = counted('grep')
  const one = { pattern: 'TODO', options: { path: '.', glob: '*' } }
  const other = { options: { glob: '*', path: '.' }, pattern: 'TODO' }
  const main = Array.from({ length: 12 }, (_, at) => ({
    toolCalls: [{ tool: 'grep', input: at % 2 ? one : other }],
  }))
  const h = harness({ tools: [tool], script: { main } })
  expect(await h.run('go')).toMatchObject({ status: 'paused', endReason: 'stall' })
  expect(runs()).toBe(5)
})

test('a model that heeds the warning goes on, and is warned anew in another circle', async () => {
  const { tool } = counted('grep')
  const other = { tool: 'grep', input: { pattern: 'FIXME' } }
  const circle = (call: object) => Array.from({ length: 5 }, () => ({ toolCalls: [call as typeof grep] }))
  const main = [...circle(grep), ...circle(other), { text: 'nothing there' }]
  const h = harness({ tools: [tool], script: { main } })
  expect(await h.run('go')).toMatchObject({ status: 'completed', text: 'nothing there', turns: 11 })
  expect(said5(h.scripted.requests.at(-1)!.options.prompt)).toBe(2)
})

test('equal calls whose results differ, and equal results of other calls, are no circle', async () => {
  const growing = counted('grep', (nth) => `${nth} matches`)
  const same = counted('read')
  const main = Array.from({ length: 14 }, (_, at) => ({
    toolCalls: [at % 2 === 0 || at < 7 ? grep : { tool: 'read', input: { at } }],
  }))
  const h = harness({ tools: [growing.tool, same.tool], script: { main: [...main, { text: 'end' }] } })
  expect(await h.run('go')).toMatchObject({ status: 'completed', text: 'end' })
  expect(growing.runs() + same.runs()).toBe(14)
})

test('limits.maxIdenticalCalls says how many, of denied ones too; the parent reads why', async () => {
  const tools = [tool('write', { effects: 'write' })]
  const write = { toolCalls: [{ tool: 'write', input: {} }] }
  const task = { tool: 'task', input: { prompt: 'write', subagent_type: 'explore' } }
  const script = { main: [{ toolCalls: [task] }, { text: 'I see' }], explore: [write, write, write] }
  const h = harness({ tools, script, config: { limits: { maxIdenticalCalls: 2 } } })
  expect(await h.run('go')).toMatchObject({ status: 'completed' })
  const told = shownPrompt(h.scripted.requests.at(-1)!.options.prompt).at(-1)
  expect(told).toContain('status="paused (stall)"')
  expect(told).toContain('(2 equal calls in a row had the same result; no text')
})

test('a run that is continued may try again', async () => {
  const { tool, runs } = counted('grep')
  const turns = Array.from({ length: 7 }, () => ({ toolCalls: [grep] }))
  const h = harness({ tools: [tool], script: { main: [...turns, { text: 'done' }] } })
  const { branchId } = await h.run('go')
  const { started } = await h.continue(branchId)
  expect(await h.clock.until(started!.result)).toMatchObject({ status: 'completed', text: 'done' })
  expect(runs()).toBe(6)
})

const list = { tool: 'list', input: { path: '.' } }
const glob = { tool: 'glob', input: { pattern: '**/*.rs' } }
const read = { tool: 'read', input: { path: 'a' } }

describe.each([
  ['two calls', [list, glob]],
  ['three calls', [list, glob, grep]],
  ['four calls', [list, glob, grep, read]],
])('a circle of %s', (_, round) => {
  const names = ['list', 'glob', 'grep', 'read']
  const turns = Array.from({ length: 28 }, (_, at) => ({ toolCalls: [round[at % round.length]!] }))

  test.each([
    ['a turn each', turns],
    ['a round in each turn', Array.from({ length: 12 }, () => ({ toolCalls: round }))],
    ['all in one turn', [{ toolCalls: turns.flatMap(({ toolCalls }) => toolCalls) }, { toolCalls: round }]],
  ])('%s: ends after five rounds', async (_, main) => {
    const counters = names.map((name) => counted(name))
    const h = harness({
      tools: counters.map(({ tool }) => tool),
      script: { main },
      config: { limits: { maxTurns: 40 } },
    })
    const result = await h.run('go')
    expect(result).toMatchObject({ status: 'paused', reason: 'stall', endReason: 'stall' })
    expect(result.note).toContain(`the same ${round.length} calls had the same results in 5 rounds in a row`)
    expect(counters.reduce((sum, { runs }) => sum + runs(), 0)).toBe(5 * round.length)
    const told = h.scripted.requests.map(
      ({ options }) =>
        shownPrompt(options.prompt).filter((line) => line.startsWith('user text(Your last')).length,
    )
    expect(Math.max(...told)).toBe(1)
    const skipped = h.store.find('tool_calls', {}).filter(({ status }) => status === 'skipped')
    expect(skipped[0]).toMatchObject({ error: { code: 'repeated' } })
  })

  test('is none while one result of it differs', async () => {
    const counters = names.map((name) => counted(name, (nth) => (name === 'glob' ? `${nth} files` : 'same')))
    const h = harness({
      tools: counters.map(({ tool }) => tool),
      script: { main: [...turns, { text: 'end' }] },
    })
    expect(await h.run('go', { maxTurns: 40 })).toMatchObject({ status: 'completed', text: 'end', turns: 29 })
  })
})

test('a process that exits in a circle gives it no rounds back', async () => {
  const store = cutStore()
  const counters = ['list', 'glob'].map((name) => counted(name))
  const tools = counters.map(({ tool }) => tool)
  const circle = [list, glob, list, glob, list, glob, list, glob].map((call) => ({ toolCalls: [call] }))
  const first = harness({ store, tools, script: { main: [...circle, { delayMs: 60_000, text: 'never' }] } })
  await first.start('go')
  await first.clock.advance(1_000)
  const again = harness({ store, tools, clock: handClock(), script: { main: [...circle, { text: 'end' }] } })
  await again.recover()
  expect(store.find('runs', {})).toMatchObject([{ status: 'paused', endReason: 'stall', attempt: 2 }])
  expect(counters.map(({ runs }) => runs())).toEqual([5, 5])
})
