import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

const project = (agents: object) => user.write('offshoot.jsonc', `{\n "agents":\n${JSON.stringify(agents)} }`)
const own = (agents: object) => user.write('../.config/offshoot/config.jsonc', JSON.stringify({ agents }))
const agents = (env: Record<string, string> = {}) => user.call(['agents'], { env })
const UNKNOWN =
  'agents.neu: there is no agent with that name\n  a new agent needs "description" and "prompt"\n'

test('settings of an agent that does not exist are an error with file and line, granted or not', async () => {
  const file = project({ neu: { maxTurns: 3 } })
  const { code, stdout, stderr } = await agents()
  expect({ code, stdout, stderr }).toEqual({ code: 3, stdout: '', stderr: `offshoot: ${file}:3: ${UNKNOWN}` })
  expect(await user.call(['run', 'hi'])).toMatchObject({ code: 3, stderr })
})

test.each([{ description: 'x' }, { prompt: 'x' }])('%j alone defines no agent', async (settings) => {
  project({ neu: settings })
  expect((await agents()).stderr).toContain(UNKNOWN)
})

test('a name that is nearly another one is an error with that one, in the file of the user too', async () => {
  const meant = 'agents.exlpore: there is no agent with that name; did you mean "explore"?'
  const file = project({ exlpore: { maxTurns: 3 } })
  expect((await agents()).stderr).toContain(`${file}:3: ${meant}`)
  user.write('offshoot.jsonc', '')
  const users = own({ exlpore: { maxTurns: 3 } })
  expect((await agents()).stderr).toContain(`${users}:1: ${meant}`)
})

test('a variable is named', async () => {
  const { code, stderr } = await agents({ OFFSHOOT_AGENTS__NEU__MAX_TURNS: '3' })
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: `offshoot: environment OFFSHOOT_AGENTS__NEU__MAX_TURNS: ${UNKNOWN}`,
  })
})

test('sources define an agent together', async () => {
  own({ neu: { description: 'x', prompt: 'y' } })
  project({ neu: { disallowedTools: ['bash'] } })
  expect(await agents()).toMatchObject({ code: 0, stdout: expect.stringContaining('neu') as string })
})

test('an agent whose file cannot be used, or waits for trust, gets the error of that file', async () => {
  user.write('.offshoot/agents/neu.md', '---\ndescription: x\ntools: 7\n---\nYou.\n')
  project({ neu: { maxTurns: 3 } })
  expect(await agents()).toMatchObject({ code: 0, stderr: expect.stringContaining('neu.md') as string })
  user.write('.offshoot/agents/neu.md', '---\nname: planner\ndescription: x\nmodel: a/b\n---\nYou.\n')
  project({ planner: { maxTurns: 3 } })
  expect(await agents()).toMatchObject({ code: 0, stderr: expect.stringContaining('not granted') as string })
})

test('the user names agents of other directories', async () => {
  own({ neu: { maxTurns: 3 } })
  const { code, stderr } = await agents()
  expect(code).toBe(0)
  expect(stderr).toContain('agents.neu: there is no agent with that name here, so this has no effect')
})
