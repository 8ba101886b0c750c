import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'
import { programCommands } from '../../../test/support/program-commands.ts'
import { OTHER_NAMES } from './other-names.ts'

const user = new TestUser()
afterAll(() => user.remove())

test.each([
  ['cost', 'docs/budgets.md'],
  ['usage', 'docs/budgets.md'],
  ['stats', 'offshoot ps --all'],
  ['budget', '--budget-usd'],
  ['search', 'offshoot ls --search TEXT'],
  ['stop', 'offshoot pause ID'],
  ['kill', 'offshoot cancel ID'],
  ['delete', 'offshoot rm CONVERSATION'],
  ['attach', 'offshoot log -f ID'],
  ['history', 'offshoot ls'],
  ['diff', 'offshoot show RUN'],
  ['init', 'offshoot doctor'],
  ['login', 'ANTHROPIC_API_KEY'],
  ['logout', 'offshoot sessions revoke --all'],
  ['update', 'npm install'],
])('%s names what does the same here', async (name, expected) => {
  for (const args of [[name], [name, 'x'], ['--debug', name], ['help', name]]) {
    const { code, stdout, stderr } = await user.call(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(new RegExp(`^offshoot: unknown command "${name}"\n  .*${expected}`))
  }
})

test('help of an unknown word is an error, and help of a command is its help', async () => {
  expect(await user.call(['help', 'nonsense'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'offshoot: unknown command "nonsense"\n  offshoot --help lists the commands\n',
  })
  for (const topic of ['ls', 'mcp'])
    expect((await user.call(['help', topic])).stdout).toContain(`Usage: offshoot ${topic}`)
})

test.each([
  [['sessions', 'list'], 'did you mean ls? It lists browsers; offshoot ls lists conversations'],
  [['agents', 'list'], 'did you mean ls?'],
  [['permissions', 'rm'], 'did you mean revoke?'],
  [['permissions', 'add', 'bash'], '--allow RULE'],
  [['config', 'set', 'model', 'x'], '~/.config/offshoot/config.jsonc'],
  [['agents', 'new'], '.offshoot/agents'],
])('%j names the subcommand, or what does the same', async (args, hint) => {
  expect(await user.call(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(hint) })
})

test('resume without a message names continue', async () => {
  const model = user.script({ main: [{ text: 'Done.' }] })
  await user.call(['run', 'hi', '-m', model])
  const [{ id }] = user.rows('SELECT id FROM conversations LIMIT 1') as [{ id: string }]
  const { code, stderr } = await user.call(['resume', id])
  expect(code).toBe(2)
  expect(stderr).toContain('offshoot continue')
})

test('a hint names commands and pages that exist, and no name is a command', async () => {
  const commands = programCommands().map((command) => command.name())
  for (const [name, hint] of OTHER_NAMES) {
    expect(commands, name).not.toContain(name)
    for (const [, command] of hint.matchAll(/offshoot ([a-z]+)/g)) expect(commands, hint).toContain(command)
    for (const [page] of hint.matchAll(/docs\/\S+\.md/g))
      expect(existsSync(join(import.meta.dirname, '../../..', page)), page).toBe(true)
  }
})
