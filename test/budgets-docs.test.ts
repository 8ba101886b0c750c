import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { providerEnvironment, startModelServer, type ModelServer } from './support/model-server.ts'
import { TestUser } from './support/test-user.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/budgets.md'), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, body]) => body!)

let user: TestUser
let server: ModelServer

beforeEach(async () => {
  user = new TestUser()
  server = await startModelServer()
})

afterEach(async () => {
  await server.close()
  user.remove()
})

it('docs/budgets.md shows commands that do what stands beside them', async () => {
  const lines = blocks('sh')[0]!.trim().split('\n')
  const [run, ps, again] = lines.map((line) =>
    [...line.split('#')[0]!.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!).slice(1),
  )
  const env = providerEnvironment('anthropic', server.url)
  const usage = { input_tokens: 240_000, output_tokens: 10 }
  server.answer({ text: 'So far.', toolCalls: [{ tool: 'list', input: {} }], usage }, { text: 'Both.' })
  const first = await user.run(run!, { env })
  expect(first).toMatchObject({ code: 4, stdout: 'So far.\n' })
  expect(first.stderr).toMatch(
    /the next request may cost \$0\.\d+, and \$0\.0\d+ was left when it paused: \$0\.4\d+ of \$0\.50/,
  )
  const [listed] = JSON.parse((await user.call(ps!)).stdout) as Record<string, unknown>[]
  expect(listed).toMatchObject({ budgetLeftUsd: 0.0199, reservedUsd: 0, spentUsd: 0.4801 })
  const args = again!.map((word) => (word === 'CONVERSATION' ? String(listed!['conversationId']) : word))
  expect(await user.run(args, { env })).toMatchObject({ code: 0, stdout: 'Both.\n' })
})

it('its configuration asks before subagents are started', async () => {
  user.write('offshoot.jsonc', blocks('jsonc')[0]!)
  const { stdout } = await user.call(['config'])
  expect(stdout).toMatch(/delegation.*ask/)
  const task = { tool: 'task', input: { prompt: 'Look.', subagent_type: 'explore' } }
  const model = user.script({ main: [{ toolCalls: [task, task] }, { text: 'Alone.' }] })
  const { code, stderr } = await user.run(['run', '-m', model, 'Go.', '--approvals', 'deny'])
  expect([code, stderr.includes('delegation is "ask"')]).toEqual([5, true])
})
