import { afterAll, describe, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

const user = new TestUser()
afterAll(() => user.remove())

const LATER = [
  ['serve', '--port', '4680', '--open'],
  ['mcp'],
  ['acp'],
  ['bridge', '--any', 'thing'],
  ['worker'],
  ['export', 'cnv_x', '--format', 'html'],
  ['run', 'hi', '--background'],
  ['spawn', 'hi', '--backend', 'claude'],
  ['doctor', '--repair'],
]

describe('what comes later', () => {
  test.each(LATER)('%s %s %s %s says so in one sentence, and what to do instead', async (...args) => {
    const { code, stdout, stderr } = await user.call(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^offshoot: .*not there yet.*\n {2}\S.*\n$/)
    expect(stderr).not.toMatch(/unknown|defect/)
  })

  test('is marked in the help', async () => {
    const [run, serve] = [await user.call(['run', '--help']), await user.call(['serve', '--help'])]
    expect(run.stdout).toMatch(/\nNot yet:\n(.*\n)*? {2}--background /)
    expect(serve).toMatchObject({ code: 0, stdout: expect.stringContaining('(not there yet)') })
  })
})
