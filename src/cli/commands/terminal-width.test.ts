import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'
import { widthOf } from '../terminal/progress/text-width.ts'

let user: TestUser
beforeEach(async () => {
  user = new TestUser()
  const model = user.script({ '*': [{ text: 'Done.' }] })
  await user.call(['run', 'Compare the parsers', '-m', model])
})
afterEach(() => user.remove())

const columns = 80

async function linesOf(args: readonly string[], cwd = user.directory): Promise<string[]> {
  const { code, stdout } = await user.call(args, { columns, cwd })
  expect(code).toBe(0)
  return stdout.trimEnd().split('\n')
}

test.each([['agents'], ['doctor'], ['gc', '--dry-run', '--keep', '0'], ['ls'], ['ps', '--all']])(
  'offshoot %s %s: no line is wider than the terminal',
  async (...args) => {
    for (const line of await linesOf(args)) expect(widthOf(line)).toBeLessThanOrEqual(columns)
  },
)

test.each([['ls'], ['gc', '--dry-run', '--keep', '0']])(
  'offshoot %s %s: a directory is listed only if it differs from the current one',
  async (...args) => {
    expect((await linesOf(args))[0]).not.toContain('DIRECTORY')
    const below = join(user.directory, 'below')
    mkdirSync(below)
    const [head, row] = await linesOf(args, below)
    expect(head).toContain('DIRECTORY')
    expect(row).toMatch(/Compare the parsers +\//)
  },
)

test('ls -C does not repeat the directory', async () => {
  expect((await linesOf(['ls', '-C', user.directory], user.root))[0]).not.toContain('DIRECTORY')
})

test('ps names the conversation of a main run, and finds it by that name', async () => {
  expect((await linesOf(['ps', '--all']))[1]).toMatch(/ main +Compare the parsers +1\/\d+ +\d+ +/)
  expect((await linesOf(['ps', '--all', '--search', 'PARSERS']))[1]).toContain('Compare the parsers')
})

test('the further lines of agents and doctor start below the text', async () => {
  const lines = await linesOf(['agents'])
  const at = lines.findIndex((line) => line.startsWith('general '))
  expect(lines[at + 1]).toMatch(/^ {23}\S/)
  expect((await linesOf(['doctor'])).filter((line) => /^ {26}\S/.test(line)).length).toBeGreaterThan(1)
})
