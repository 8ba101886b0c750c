import { afterEach, beforeEach, expect, test } from 'vitest'
import { rmSync } from 'node:fs'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

const define = (name: string, icon: string) =>
  user.write(`.offshoot/agents/${name}.md`, `---\ndescription: x\nicon: ${JSON.stringify(icon)}\n---\nYou.\n`)

/** A conversation in which one of these was spawned. */
async function spawned(agent: string): Promise<string> {
  const model = user.script({ '*': [{ text: 'Done.' }] })
  const { stderr } = await user.call(['spawn', '--agent', agent, '--label', 'look', '-m', model, 'x'])
  const id = /of (cnv_\w+)/.exec(stderr)![1]!
  return id
}
const show = async (id: string) => (await user.call(['show', id])).stdout

test.each([
  ['scout', '🔭', '🔭'],
  ['hostile', '\u001b[31mX', '◆'],
  ['family', '👩‍👩‍👧', '👩'],
])('the tree draws the icon of the agent %s', async (name, icon, drawn) => {
  define(name, icon)
  const tree = await show(await spawned(name))
  expect(tree).toMatch(/^● main · /m)
  expect(tree).toContain(`\n  ${drawn} look (${name}) · Done`)
})

test('the tree has the icons of the program, and none where the agents cannot be read', async () => {
  const id = await spawned('explore')
  expect(await show(id)).toContain('\n  ◎ look (explore) · ')
  user.write('offshoot.jsonc', '{ "limits": 7 }')
  expect(await show(id)).toContain('\n  ◆ look (explore) · ')
  rmSync(user.directory, { recursive: true })
  expect(await show(id)).toContain(' look (explore) · ')
})
