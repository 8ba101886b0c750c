import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

const WRITE = { tool: 'write', input: { file_path: 'notes.md', content: 'Buy milk.\nBuy bread.\n' } }
const PUSH = { tool: 'bash', input: { command: 'git push' } }

test('show tells what a run changed and what was denied, above its report, and below the tree of a conversation', async () => {
  const model = user.script({
    main: [{ toolCalls: [WRITE, PUSH] }, { text: 'changed: everything' }],
  })
  const run = await user.call([
    'run',
    'Write it.',
    '-m',
    model,
    '--allow',
    'write',
    '--output-format',
    'json',
  ])
  const ids = JSON.parse(run.stdout) as { run_id: string; conversation_id: string }
  const { stdout } = await user.call(['show', ids.run_id])
  const receipts = /^changed: notes\.md \(new \+2 -0, [0-9a-f]{8}\)\ndenied: `git push` \(.*unattended.*\)$/m
  expect(stdout).toMatch(new RegExp(`${receipts.source}\n\nchanged: everything$`, 'm'))
  const branch = user.rows('SELECT id FROM branches')[0]!['id'] as string
  for (const id of [ids.conversation_id, branch]) {
    const { stdout: whole } = await user.call(['show', id])
    expect(whole).toMatch(new RegExp(`^● main .*\n\n${receipts.source.slice(1)}\n$`, 'm'))
  }
})

test('show tells of no receipts for a run without a tool call', async () => {
  const model = user.script({ main: [{ text: 'Hello.' }] })
  const run = await user.call(['run', 'Say hello.', '-m', model, '--output-format', 'json'])
  const { run_id: id } = JSON.parse(run.stdout) as { run_id: string }
  expect((await user.call(['show', id])).stdout).not.toMatch(/changed|denied|commands|read:/)
})
