import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestUser } from './support/test-user.ts'

const FILES = {
  'src/pay.ts':
    'export function payInvoice(invoice) {\n  try { charge(invoice) } catch {}\n  // TODO: retries\n}\n',
  'src/charge.ts': 'export function charge(invoice) {\n  return eval(invoice.code)\n}\n',
  'lib/later.ts': 'export function payInvoiceLater() {}\n',
  'test/pay.test.ts': "test('payInvoice pays', () => { payInvoice({}) })\n",
  'offshoot.jsonc': JSON.stringify({
    agents: { explore: { model: 'offline' }, planner: { model: 'offline' }, reviewer: { model: 'offline' } },
  }),
}

const CALLS = [
  { tool: 'code_search', input: { query: 'Where is payInvoice defined?', scope: 'src' } },
  { tool: 'planner', input: { task: 'Add retries to payInvoice', constraints: 'no new files' } },
  { tool: 'code_review', input: { target: 'src', focus: 'security' } },
  { tool: 'code_review', input: { target: 'src/pay.ts' } },
]

let user: TestUser
let reports: readonly string[]

beforeAll(async () => {
  user = new TestUser(FILES)
  await user.trust()
  const model = user.script({ main: [{ toolCalls: CALLS }, { text: 'end' }] })
  await user.call(['run', 'go', '-m', model])
  const sql = `select part from parts join messages on messages.id = message_id
    where role = 'tool' and part like '%"subagent"%'`
  const parts = user
    .rows(sql)
    .map(({ part }) => JSON.parse(String(part)) as { callId: string; output: { text: string } })
  reports = parts.toSorted((a, b) => (a.callId < b.callId ? -1 : 1)).map(({ output }) => output.text)
}, 30_000)

afterAll(() => user.remove())

it('searches where the scope says', () => {
  expect(reports[0]).toContain('src/pay.ts:1 `export function payInvoice(invoice) {`')
  expect(reports[0]).not.toContain('lib/later.ts')
})

it('plans the places that a task touches, in numbered steps', () => {
  expect(reports[1]).toMatch(/^1\. src\/pay\.ts:1 /m)
  expect(reports[1]).toContain('assembled by rules')
})

it('reviews the target for what the focus says', () => {
  expect(reports[2]).toContain('src/charge.ts:2 `return eval(invoice.code)`')
  expect(reports[2]).not.toContain('TODO')
  expect(reports[3]).toContain('src/pay.ts:3')
  expect(reports[3]).not.toContain('src/charge.ts')
})

it('says honestly that it cannot write what a schema asks for, and does not search for that', async () => {
  const input = { prompt: 'Where is payInvoice defined?', subagent_type: 'explore' }
  const calls = [
    { tool: 'task', input },
    { tool: 'task', input: { ...input, output_schema: { type: 'array' } } },
  ]
  const model = user.script({ main: [{ toolCalls: calls }, { text: 'end' }] })
  const { stdout } = await user.call(['run', 'go', '-m', model, '--output-format', 'json'])
  const { subagents } = JSON.parse(stdout) as {
    subagents: { status: string; turns: number; tool_calls: number }[]
  }
  const [plain, typed] = subagents
  expect(plain).toMatchObject({ status: 'completed' })
  expect(typed).toEqual({
    ...typed,
    status: 'failed',
    end_reason: 'error',
    turns: plain!.turns + 2,
    tool_calls: plain!.tool_calls,
  })
}, 30_000)
