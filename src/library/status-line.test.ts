import { expect, it } from 'vitest'
import { z } from 'zod'
import { testOffshoot } from '../../test/support/test-offshoot.ts'
import { agent } from './agent.ts'
import { tool } from './tool.ts'

it('a run has the status line of its branch; a result names the subagents that are paused below it', async () => {
  const released = Promise.withResolvers<string>()
  const hold = tool({
    name: 'hold',
    description: 'holds',
    inputSchema: z.object({}),
    effects: 'none',
    execute: () => released.promise,
  })
  const critic = agent({
    name: 'critic',
    description: 'criticises',
    prompt: 'You criticise.',
    tools: ['hold'],
  })
  const task = { subagent_type: 'critic', description: 'a critic', prompt: 'look', run_in_background: true }
  await using t = await testOffshoot({
    tools: [hold],
    agents: [critic],
    script: {
      main: [{ toolCalls: [{ tool: 'task', input: task }] }, { text: 'done' }],
      critic: [{ toolCalls: [{ tool: 'hold', input: {} }] }, { text: 'held' }],
    },
  })
  const { runs } = t.offshoot
  const run = await (await t.offshoot.chat()).send('go')
  await t.clock.advance(1_000)
  const line = async (id: string) => (await runs.get(id)).statusLine
  expect(await line(run.id)).toMatchObject({ state: 'Done', detail: '1 subagent still running', verb: null })
  const [child] = (await runs.list()).filter(({ depth }) => depth === 1)
  expect(child!.statusLine).toMatchObject({ state: 'Running', detail: 'hold {}' })
  const pausing = child!.pause()
  await t.clock.advance(1_000)
  expect(await line(child!.id)).toMatchObject({ state: 'Pausing', detail: 'asked by you; first: hold {}' })
  released.resolve('x')
  await t.clock.until(pausing)
  const result = await t.clock.until(run.result())
  expect(result).toMatchObject({
    status: 'completed',
    text: 'done',
    pausedSubagents: [
      { id: child!.id, branchId: child!.branchId, agent: 'critic', description: 'a critic', reason: 'user' },
    ],
  })
  expect(await line(run.id)).toMatchObject({
    state: 'Done',
    detail: '1 subagent paused',
    verb: { name: 'continue', id: child!.branchId },
  })
  expect(await line(child!.id)).toMatchObject({ state: 'Paused', detail: 'by you' })
})
