import { afterAll, beforeAll, expect, it } from 'vitest'
import { providerEnvironment, startModelServer, type ModelServer } from '../support/model-server.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
let server: ModelServer

beforeAll(async () => {
  user = new TestUser({ 'fruit.txt': 'apples\n' })
  server = await startModelServer()
})

afterAll(async () => {
  await server.close()
  user.remove()
})

it('a run that has spent its budget pauses with exit code 4, and goes on when it gets more', async () => {
  const env = providerEnvironment('anthropic', server.url)
  const usage = { input_tokens: 90_000, output_tokens: 300 }
  const read = { tool: 'read', input: { path: 'fruit.txt' } }
  server.answer({ text: 'I look.', toolCalls: [read], usage }, { text: 'There are apples.' })
  const json = ['--output-format', 'json']
  const first = await user.run(['run', 'Which fruit?', '--budget-usd', '0.2', ...json], { env })
  expect(first.code).toBe(4)
  const document = JSON.parse(first.stdout) as Record<string, unknown>
  expect(document).toMatchObject({
    status: 'paused',
    reason: 'budget',
    end_reason: 'budget',
    text: 'I look.',
  })
  expect(document).toMatchObject({ turns: 1, cost_usd: 0.183 })
  expect(document['note']).toMatch(
    /^the next request may cost \$0\.2\d+, and \$0\.017 was left when it paused: \$0\.183 of \$0\.20 is spent/,
  )
  expect(first.stderr).toMatch(/is spent; partial: the text of turn 1\noffshoot: paused \(budget\)\n/)
  expect(server.requests()).toHaveLength(1)

  const id = String(document['conversation_id'])
  expect(first.stderr.split('\n').at(-2)).toBe(
    `offshoot: resume it: offshoot continue ${id} --budget-usd N, with N above the budget so far`,
  )
  const again = await user.run(['continue', id, '--budget-usd', '.2'], { env })
  expect(again).toMatchObject({ code: 4, stdout: 'I look.\n' })
  expect(server.requests()).toHaveLength(1)
  const listed = JSON.parse((await user.call(['ps', '--json'])).stdout) as object[]
  expect(listed).toMatchObject([
    { status: 'paused', reason: 'budget', spentUsd: 0.183, budgetLeftUsd: 0.017 },
  ])

  expect(await user.run(['continue', id], { env })).toMatchObject({ code: 0, stdout: 'There are apples.\n' })
  const spawned = await user.run(['spawn', 'Look.', '--conversation', id, '--budget-usd', '0.1'], {
    env,
  })
  expect(spawned).toMatchObject({ code: 1, stdout: '' })
  expect(spawned.stderr).toContain('is spent in this conversation')
})

it.each([
  ['run', 'hi'],
  ['continue', 'cnv_x'],
  ['spawn', 'hi'],
  ['fork', 'msg_x', 'hi'],
])('%s takes no budget that is no sum of money', async (...args) => {
  for (const value of ['much', '-1', '', 'NaN', 'Infinity', '0x10', '1e400', '5 USD']) {
    const option = /\s/.test(value) ? ['--budget-usd', value] : [`--budget-usd=${value}`]
    const { code, stderr } = await user.call([...args, ...option])
    expect({ value, code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('US dollars') })
  }
})
