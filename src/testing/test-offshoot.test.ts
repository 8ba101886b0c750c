import { createServer, type ServerResponse } from 'node:http'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { tool } from '../library/tool.ts'
import { createTestOffshoot, handClock, scriptedModel, type TestOptions } from '../testing.ts'

const directory = mkdtempSync(join(tmpdir(), 'offshoot-testing-'))
beforeAll(() => writeFileSync(join(directory, 'a.txt'), 'hello'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const testOffshoot = (script: TestOptions['script'], more: TestOptions = {}) =>
  createTestOffshoot({ directory, script: script ?? {}, ...more })

const call = (tool: string, input: object) => ({ toolCalls: [{ tool, input: input as never }] })
const touch = [call('bash', { command: 'echo x' }), { text: 'done' }]

/** Slows every turn of the event loop, as other programs do on a busy machine. */
function keepBusy(): () => void {
  let timer = setImmediate(burn)
  function burn(): void {
    const end = performance.now() + 5
    while (performance.now() < end);
    timer = setImmediate(burn)
  }
  return () => clearImmediate(timer)
}

describe('clock.until', () => {
  /** A server that a tool asks, and what the run of that tool came to. */
  async function askServer(answer: (response: ServerResponse) => void) {
    const server = createServer((_, response) => answer(response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const ask = tool({
      name: 'ask_server',
      description: 'asks a server',
      inputSchema: z.object({}),
      effects: 'none',
      execute: async (_, { signal }) => await (await fetch(`http://127.0.0.1:${port}/`, { signal })).text(),
    })
    await using t = await testOffshoot({ main: [call('ask_server', {}), { text: 'done' }] }, { tools: [ask] })
    const run = await (await t.offshoot.chat()).send('ask')
    const { status } = await t.clock.until(run.result())
    server.closeAllConnections()
    server.close()
    return { status, answer: JSON.stringify(t.model.requests[1]?.options.prompt.at(-1)) }
  }

  test('waits for a tool that asks the network, and jumps over no timeout', async () => {
    const { status, answer } = await askServer((response) => setTimeout(() => response.end('hello'), 300))
    expect(status).toBe('completed')
    expect(answer).toContain('hello')
  })

  test('goes on without an answer that does not come, so that a timeout passes', async () => {
    const { status, answer } = await askServer(() => {})
    expect(status).toBe('completed')
    expect(answer).toContain('120')
  })

  test('waits for the built-in tools on a busy machine', async () => {
    const stop = keepBusy()
    await using t = await testOffshoot({
      main: [call('read', { path: 'a.txt' }), call('grep', { pattern: 'hello' }), { text: 'done' }],
    })
    const run = await (await t.offshoot.chat()).send('read')
    expect(await t.clock.until(run.result())).toMatchObject({ status: 'completed', text: 'done' })
    stop()
  })
})

describe('without a call that moves the clock', () => {
  test('a plain loop answers an approval, and the run ends', async () => {
    await using t = await testOffshoot({ main: touch })
    const run = await (await t.offshoot.chat()).send('write')
    for await (const event of run.events({ answers: true }))
      if (event.type === 'approval.requested') await t.offshoot.approvals.answer(event.approvalId, 'once')
    expect(await run.result()).toMatchObject({ status: 'completed', text: 'done', denials: [] })
  })

  test('a short delay passes as it does for a user', async () => {
    await using t = await testOffshoot({ main: [{ text: 'late', delayMs: 20 }] })
    const run = await (await t.offshoot.chat()).send('hi')
    expect(await run.result()).toMatchObject({ status: 'completed', text: 'late' })
  })

  test('timers fire in the order of the clock, and a plain handClock stands still', async () => {
    const running = handClock(0, { runs: true })
    const still = handClock()
    const fired: string[] = []
    still.after(1, () => fired.push('still'))
    await new Promise<void>((resolve) => {
      running.after(30, resolve)
      running.after(20, () => fired.push('second'))
      running.after(10, () => fired.push('first'))
    })
    expect(fired).toEqual(['first', 'second'])
    expect([running.pending(), still.pending()]).toEqual([0, 1])
  })
})

test('a script can be a function', async () => {
  await using t = await testOffshoot({
    main: ({ number, input }) =>
      number === 1 ? call('read', { path: 'a.txt' }) : { text: `it says ${input}` },
  })
  const run = await (await t.offshoot.chat()).send('read')
  expect((await t.clock.until(run.result())).text).toContain('hello')
})

test.each([
  ['answers by agent', scriptedModel({ main: [{ text: 'hello' }] })],
  ['a whole script', scriptedModel({ agents: { main: [{ text: 'hello' }] } })],
])('scriptedModel takes %s', async (_, model) => {
  await using t = await createTestOffshoot({ directory, model })
  const run = await (await t.offshoot.chat()).send('go')
  expect((await t.clock.until(run.result())).text).toBe('hello')
})

test.each([
  [{ agents: { main: 1 } }, 'scripted: agents.main: '],
  [{ main: 'hello' }, 'scripted: agents: expected an object, got nothing'],
])('an invalid script %j is told in plain words', (script, message) => {
  expect(() => scriptedModel(script as never)).toThrow(message)
  expect(() => scriptedModel(script as never)).not.toThrow('Invalid input')
})
