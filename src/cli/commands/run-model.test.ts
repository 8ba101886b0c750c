import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
/** Models that always answer with their own name. */
let first: string
let second: string

beforeEach(() => {
  user = new TestUser()
  first = user.script({ '*': [{ text: 'the first' }] }, 'first.json')
  second = user.script({ '*': [{ text: 'the second' }] }, 'second.json')
})

afterEach(() => user.remove())

function configure(config: object): void {
  user.write('../.config/offshoot/config.jsonc', JSON.stringify(config))
}

test('run has the model that the configuration says of its agent', async () => {
  configure({ model: first, agents: { explore: { model: second } } })
  const { code, stdout, stderr } = await user.call(['run', 'hi', '--agent', 'explore'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'the second\n' })
  expect(stderr).toContain(`offshoot: model ${second} (model of agent explore)\n`)
})

test('run has the model that the definition of its agent names', async () => {
  configure({ model: first })
  user.write(
    '../.config/offshoot/agents/mine.md',
    `---\ndescription: one of mine\nmodel: ${second}\n---\nWork.\n`,
  )
  expect(await user.call(['run', 'hi', '--agent', 'mine'])).toMatchObject({ stdout: 'the second\n' })
})

test('run has the small model for an agent that asks for it', async () => {
  configure({ model: first, smallModel: second, agents: { explore: { model: 'small' } } })
  const { stdout, stderr } = await user.call(['run', 'hi', '--agent', 'explore'])
  expect(stdout).toBe('the second\n')
  expect(stderr).toContain(`offshoot: model ${second} (small model, set by agent explore)\n`)
})

test('run has the model of the command line before that of its agent', async () => {
  configure({ agents: { explore: { model: second } } })
  expect(await user.call(['run', 'hi', '--agent', 'explore', '-m', first])).toMatchObject({
    stdout: 'the first\n',
  })
})

test('run has the model of the configuration for an agent that inherits', async () => {
  configure({ model: first, agents: { explore: { model: 'inherit' }, general: { model: second } } })
  expect(await user.call(['run', 'hi', '--agent', 'explore'])).toMatchObject({ stdout: 'the first\n' })
})

test('a conversation keeps the model of its last run, but for another agent or a model that is named', async () => {
  configure({ model: first, agents: { explore: { model: second } } })
  const { stdout } = await user.call(['run', 'hi', '-m', second, '--output-format', 'json'])
  const { conversation_id: id } = JSON.parse(stdout) as { conversation_id: string }
  const again = (...flags: string[]) => user.call(['run', 'and?', '--conversation', id, ...flags])
  const kept = await again()
  expect(kept.stdout).toBe('the second\n')
  expect(kept.stderr).toContain(`offshoot: model ${second} (as in this conversation)\n`)
  expect(await user.call(['run', 'and?', '--continue'])).toMatchObject({ stdout: 'the second\n' })
  expect(await again('-m', first)).toMatchObject({ stdout: 'the first\n' })
  expect(await again()).toMatchObject({ stdout: 'the first\n' })
  expect(await again('--agent', 'explore')).toMatchObject({ stdout: 'the second\n' })
})

test('a model of an agent that cannot be used is an error of the configuration', async () => {
  configure({ agents: { explore: { model: 'nonsense/x' } } })
  const { code, stderr } = await user.call(['run', 'hi', '--agent', 'explore'])
  expect(code).toBe(3)
  expect(stderr).toContain('It is the model of the agent explore')
})
