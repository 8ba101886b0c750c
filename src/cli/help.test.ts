import { afterAll, expect, test } from 'vitest'
import { programCommands } from '../../test/support/program-commands.ts'
import { TestUser } from '../../test/support/test-user.ts'
import { EXAMPLES } from './help-examples.ts'
import { commandPath, LATER } from './help.ts'

const user = new TestUser()
afterAll(() => user.remove())

const there = programCommands().filter((command) => command.helpGroup() !== LATER)
const paths = there.map(commandPath)

test('the list of commands has 45 lines of 80 columns at most, and is what bare offshoot prints', async () => {
  const { code, stdout, stderr } = await user.call(['--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.trimEnd().split('\n').length, stdout).toBeLessThanOrEqual(45)
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  expect(await user.call([])).toMatchObject({ code: 0, stdout })
  expect(stdout).toMatch(/^Start and resume:\n {2}run /m)
  expect(stdout).toMatch(/^Not yet: mcp, acp, bridge, worker$/m)
  for (const path of paths.filter((each) => !each.includes(' '))) expect(stdout).toMatch(`\n  ${path}`)
})

test('every command has examples, and there are none of others', () => {
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(paths.toSorted())
})

test.each(paths)('the help of %s has 80 columns and its examples', async (path) => {
  const { code, stdout } = await user.call([...path.split(' '), '--help'])
  expect(code).toBe(0)
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  for (const example of EXAMPLES[path]!) expect(stdout).toContain(`\n  ${example}\n`)
})

test.each(Object.entries(EXAMPLES).flatMap(([path, lines]) => lines.map((line) => [path, line] as const)))(
  'an example of %s can be typed: %s',
  (path, line) => {
    const words = [...line.matchAll(/"[^"]*"|[^\s"|<>()]+/g)].map(([word]) => word)
    const typed = words.slice(words.indexOf('offshoot') + 1)
    const command = there.find((each) => commandPath(each) === path)!
    const { operands, unknown } = command.parseOptions(typed)
    expect(unknown).toEqual([])
    expect(operands.join(' ').startsWith(path.split(' ')[0]!)).toBe(true)
  },
)
