import { expect, test } from 'vitest'
import { testOffshoot } from '../../test/support/test-offshoot.ts'
import { z } from 'zod'
import { tool } from './tool.ts'

const sent: number[] = []
const own = Array.from({ length: 60 }, (_, n) =>
  tool({
    name: `crm_${n}`,
    toolset: n < 30 ? 'customers' : 'orders',
    description: `Reads table ${n}`,
    inputSchema: z.object({ id: z.number() }),
    effects: n === 59 ? 'write' : 'none',
    execute: ({ id }) => {
      if (n === 59) sent.push(id)
      return { table: n, id }
    },
  }),
)
const use = (...calls: object[]) => ({ toolCalls: [{ tool: 'use_tool', input: { calls } as never }] })

test('sixty tools of a program: looked up, called together, asked about one by one, and handed to a child', async () => {
  const handed = { customers: ['crm_7'] }
  const task = { prompt: 'look', subagent_type: 'general', tools: handed }
  const script = {
    main: [
      { toolCalls: [{ tool: 'get_tools', input: { tools: ['crm_1', 'crm_59'] } }] },
      use(
        { agent: 'customers', tool: 'crm_1', params: { id: 1 } },
        { toolset: 'orders', tool: 'crm_59', params: { id: 2 } },
        { toolset: 'orders', tool: 'crm_59', params: { id: 'three' } },
      ),
      { toolCalls: [{ tool: 'task', input: task }] },
      { text: 'done' },
    ],
    general: [use({ tool: 'crm_7', params: { id: 7 } }), { text: 'seven' }],
  }
  await using t = await testOffshoot({ script, tools: own })
  const run = await (await t.offshoot.chat()).send('go')
  const asked: string[] = []
  const ended: string[] = []
  const reading = (async () => {
    for await (const event of run.events({ answers: true })) {
      if (event.type === 'approval.requested') {
        asked.push(event.tool)
        await t.offshoot.approvals.answer(event.approvalId, 'once')
      }
      if (event.type === 'tool.completed' || event.type === 'tool.failed')
        ended.push(`${event.type} ${event.tool}`)
    }
  })()
  expect(await t.clock.until(run.result())).toMatchObject({ status: 'completed', text: 'done', toolCalls: 6 })
  await t.clock.until(reading)
  expect(asked).toEqual(['crm_59'])
  expect(sent).toEqual([2])
  expect(ended.toSorted()).toEqual([
    'tool.completed crm_1',
    'tool.completed crm_59',
    'tool.completed crm_7',
    'tool.completed get_tools',
    'tool.completed task',
    'tool.failed crm_59',
  ])
  for (const { options } of t.model.requests) {
    const names = (options.tools ?? []).map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('crm_'))).toEqual([])
    expect(names).toEqual(expect.arrayContaining(['read', 'get_tools', 'use_tool']))
  }
  const child = t.model.requests.find(({ agent }) => agent === 'general')!.options.prompt
  expect(JSON.stringify(child[0])).toContain('Reads table 7')
  expect(JSON.stringify(child[0])).not.toContain('Reads table 8')
})

test.each(['get_tools', 'useTool'])('a tool of a program cannot be named %s', async (name) => {
  const options = { name, description: 'x', inputSchema: z.object({}), execute: () => '' }
  expect(() => tool(options)).toThrow('a tool of the runtime has this name')
})
