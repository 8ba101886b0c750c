import { afterAll, describe, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

const user = new TestUser()
afterAll(() => user.remove())

const LATER = [
  ['mcp'],
  ['acp'],
  ['bridge', '--any', 'thing'],
  ['worker'],
  ['spawn', 'hi', '--backend', 'claude'],
]

describe('what comes later', () => {
  test.each(LATER)('%s %s %s %s says so in one sentence, and what to do instead', async (...args) => {
    const { code, stdout, stderr } = await user.call(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^offshoot: .*not available yet.*\n {2}\S.*\n$/)
    expect(stderr).not.toMatch(/unknown|defect/)
  })

  test('is marked in the help', async () => {
    const [spawn, mcp] = [await user.call(['spawn', '--help']), await user.call(['mcp', '--help'])]
    expect(spawn.stdout).toMatch(/\nNot yet:\n(.*\n)*? {2}--backend /)
    expect(mcp).toMatchObject({ code: 0, stdout: expect.stringContaining('(not available yet)') })
  })
})
