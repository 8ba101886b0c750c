import { existsSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'

const user = new TestUser()
const model = user.script({ '*': [{ text: 'done' }] })
afterAll(() => user.remove())

test.each([
  [['--yolo fix the tests']],
  [['-p x and y']],
  [['-m scripted:/tmp/evil.json please']],
  [['-c\nand go on']],
  [['--mode=auto and fix']],
  [['--allow=bash:* and fix']],
  [['- fix a\n- fix b']],
  [['---\ntitle: x\n---\nfix']],
  [['run', '--mode=auto and fix']],
  [['run', '-C/ and fix']],
  [['-p', '--allow=bash:* and fix']],
  [['spawn', '--mode=auto and fix']],
  [['fork', 'last', '--mode=auto and fix']],
  [['--debug', '--mode=auto and fix']],
])('%j beside data on stdin is an error: a text is no option, and data no prompt', async (args) => {
  const { code, stdout, stderr } = await user.call(args, { input: 'data\n' })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(
    /^offshoot: "-.*" begins with - and would be read as an option\n {2}put the text after --: /,
  )
  expect(existsSync(user.database)).toBe(false)
})

test.each([[['--mode=auto']], [['--nonsense']], [['run', '--nonsense']]])(
  '%j is not known or alone: the error says where a text goes',
  async (args) => {
    const { code, stderr } = await user.call(args, { input: 'x' })
    expect(code).toBe(2)
    expect(stderr).toMatch(/put (?:a prompt|the text) after --|put -- before a text/)
  },
)

test('behind -- such a text is the prompt, and so is the value of an option', async () => {
  for (const args of [
    ['-m', model, '--', '--yolo fix the tests'],
    ['run', '-m', model, '--', '- fix a\n- fix b'],
    ['fix it', '-m', model, '--append-system-prompt', '- be terse'],
    ['fix it', '-m', model, '--allow=bash:npm test *'],
  ])
    expect(await user.call(args), args.join(' ')).toMatchObject({ code: 0, stdout: 'done\n' })
})
