import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => void (user = new TestUser()))
afterEach(() => user.remove())

it.each([
  [['ls']],
  [['ps', '--json']],
  [['show', 'last']],
  [['log', 'cnv_x']],
  [['gc', '--dry-run']],
  [['permissions']],
  [['approve', 'apr_x']],
  [['continue', 'last', 'go on']],
  [['cancel', 'run_x']],
  [['run', '--resume', 'cnv_x', 'go on', '-m', 'offline', '--background']],
])('%j creates no data directory, and names the one that is missing', async (args) => {
  const { stderr } = await user.call(args)
  expect(existsSync(user.home)).toBe(false)
  if (args[0] !== 'run')
    expect(stderr).toContain(`offshoot: OFFSHOOT_HOME names ${user.home}, which does not exist\n`)
})

it('a list of a missing data directory is empty, without a word if nobody named it', async () => {
  const env = { OFFSHOOT_HOME: '', XDG_DATA_HOME: join(user.root, 'share') }
  expect(await user.call(['ls', '--json'], { env })).toMatchObject({ code: 0, stderr: '' })
  expect(existsSync(join(user.root, 'share'))).toBe(false)
})

it('a command that stores something creates it', async () => {
  await user.call(['run', 'hi', '-m', user.script({ main: [{ text: 'Hello.' }] })])
  expect(existsSync(user.database)).toBe(true)
  expect((await user.call(['ls'])).stderr).toBe('')
})
