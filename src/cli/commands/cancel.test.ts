import { expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

test('an id that commands a terminal is shown, and commands nothing', async () => {
  const user = new TestUser()
  try {
    const { code, stdout, stderr } = await user.call(['cancel', 'run_\u001b[31m\u009b2J\u202e'])
    expect(code).toBe(2)
    expect(stdout).toContain('not_found: "run_')
    expect(stderr).toContain('there is no run run_\u241b[31m')
    expect(stdout + stderr).not.toMatch(/[\u001b\u0080-\u009f\u202e]/)
  } finally {
    user.remove()
  }
})
