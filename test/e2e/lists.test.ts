import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

it('on a terminal ls and ps have a header, fit the width, and print ids that commands take', async () => {
  const script = user.script({ main: [{ text: 'Done.' }] })
  await user.run(['run', `Compare ${'the long names '.repeat(9)}`, '-m', script])
  for (const [list, show] of [
    [['ls'], 'cnv'],
    [['ps', '--all'], 'run'],
  ] as const) {
    const { code, stdout } = await user.terminal(list, { columns: 70 }).ended
    expect(code).toBe(0)
    const [head, row, ...rest] = stdout.trimEnd().split('\r\n')
    expect(head).toMatch(/^# +ID +/)
    if (show === 'cnv') expect(row).toContain('…')
    for (const line of [head, row, ...rest]) expect(line!.length).toBeLessThanOrEqual(70)
    const [id] = new RegExp(`${show}_\\w+`).exec(row!)!
    expect(id.length).toBeLessThan(26)
    for (const typed of [id, row!.split(' ', 1)[0]!])
      expect(await user.run(['show', typed])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Compare'),
      })
  }
})
