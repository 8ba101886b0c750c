import { afterEach, beforeEach, expect, it } from 'vitest'
import { Screen } from '../support/screen.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser({ 'a.txt': 'text\n' })
})
afterEach(() => user.remove())

const ANSWER = `# Ports

The port is **4680**, as \`src/core/limits.ts\` says, and nothing else sets it in this program.

1. one
2. two
`
const HINT = 'Ctrl-C pauses and exits; a second one cancels'

function shown(stdout: string, columns: number): string[] {
  const screen = new Screen(columns, 50)
  screen.write(stdout)
  return screen.lines
}

it('an answer on a terminal is rendered, wrapped at words, and comes once', async () => {
  const script = user.script({ main: [{ text: ANSWER, chunks: 40 }] })
  const { code, stdout } = await user.terminal(['run', 'hi', '-m', script], { columns: 40 }).ended
  expect(code).toBe(0)
  expect(stdout).toContain('\u001b[1mPorts\u001b[22m')
  expect(shown(stdout, 40).slice(1)).toEqual([
    'Ports',
    '',
    'The port is 4680, as src/core/limits.ts',
    'says, and nothing else sets it in this',
    'program.',
    '',
    '1. one',
    '2. two',
    '',
    '✓ main',
    expect.stringMatching(/^ {2}done in/),
  ])
})

it('in a pipe it is the text as it was written', async () => {
  const script = user.script({ main: [{ text: ANSWER, chunks: 40 }] })
  expect(await user.run(['run', 'hi', '-m', script])).toMatchObject({ code: 0, stdout: ANSWER })
})

it('what the agent says before a tool call comes first, and each text comes once', async () => {
  const read = { tool: 'read', input: { path: 'a.txt' } }
  const script = user.script({ main: [{ text: 'I *look*.', toolCalls: [read] }, { text: 'It is a text.' }] })
  const { stdout } = await user.terminal(['run', 'hi', '-m', script], { columns: 60 }).ended
  const lines = shown(stdout, 60).filter((line) => /look|text/.test(line))
  expect(lines).toEqual(['I look.', 'It is a text.'])
})

it('is shown while it is written, above the line that says what Ctrl-C does', async () => {
  const script = user.script({
    main: [{ text: '# First\n\nSecond.\n\nThird.', chunks: 4, delayMs: 600_000 }],
  })
  const program = user.terminal(['run', 'hi', '-m', script], { env: { NO_COLOR: '1' } })
  await program.untilStdout(HINT)
  program.type('\u0003')
  const { code } = await program.ended
  expect(code).toBe(130)
  expect(user.rows('SELECT status, reason FROM runs')).toEqual([{ status: 'paused', reason: 'user' }])
})
