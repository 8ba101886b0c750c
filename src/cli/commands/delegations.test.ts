import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

const agentFile = (name: string, more: string) =>
  `---\nname: ${name}\ndescription: ${name}\n${more}\n---\nYou are ${name}.\n`

let user: TestUser
beforeEach(() => {
  user = new TestUser({
    '.offshoot/agents/planner.md': agentFile('planner', 'tools: [read]\nspawns: [implementer]'),
    '.offshoot/agents/implementer.md': agentFile('implementer', 'tools: [write]'),
    'offshoot.jsonc': '{ "limits": { "maxDepth": 2 } }',
    'config/offshoot/config.jsonc':
      '{ "delegations": [{ "agent": "implementer", "for": "planner", "tool": "write", "pattern": "src/**" }] }',
  })
})
afterEach(() => user.remove())

test('a delegation lets a subagent do what it names, and ps and show say so', async () => {
  const env = { XDG_CONFIG_HOME: join(user.directory, 'config') }
  expect(await user.call(['trust'], { env })).toMatchObject({ code: 0 })
  const task = (subagent_type: string) => ({ tool: 'task', input: { subagent_type, prompt: 'go' } })
  const write = (file_path: string) => ({ tool: 'write', input: { file_path, content: 'x' } })
  const script = user.script({
    main: [{ toolCalls: [task('planner')] }, { text: 'Done.' }],
    planner: [{ toolCalls: [task('implementer')] }, { text: 'Planned.' }],
    implementer: [{ toolCalls: [write('src/a'), write('b')] }, { text: 'Tried.' }],
  })
  const ran = await user.call(['run', 'go', '-m', script, '--mode', 'accept-edits'], { env })
  expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' })
  expect(['src/a', 'b'].map((name) => existsSync(join(user.directory, name)))).toEqual([true, false])

  const [run] = user.rows("select id, branch_id from runs where agent = 'implementer'")
  const told = 'delegated by you: write:src/**'
  for (const id of [run!['id'], run!['branch_id']])
    expect((await user.call(['show', id as string])).stdout).toContain(`\n${told}\n`)
  const lines = (await user.call(['ps', '--all'])).stdout.trimEnd().split('\n')
  expect(lines.filter((line) => line.includes(told))).toEqual([expect.stringContaining(run!['id'] as string)])
})
