import { expect, test } from 'vitest'
import { harness, shownPrompt, tool } from '../../test/support/runtime-harness.ts'

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

test('so do 364 in one turn', async () => {
  const { tool, runs } = counted('grep')
  const h = harness({ tools: [tool], script: { main: [{ toolCalls: Array(364).fill(grep) }] } })
  expect(await h.run('go')).toMatchObject({ status: 'paused', endReason: 'stall', turns: 1 })
  expect(runs()).toBe(5)
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
