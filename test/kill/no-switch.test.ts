import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decorated, faultPoints } from '../support/faults.ts'
import { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

const ROOT = join(import.meta.dirname, '../..')

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

/** All that a test build takes, at once. */
const switches = () => ({
  TEST_OFF: decorated.join(),
  TEST_FAULT: faultPoints.map((point) => `${point}:1`).join(),
  TEST_POINTS: join(user.root, 'points'),
  TEST_PAGES: '100',
})

function run(main: string): Promise<{ code: number | null; signal: string | null }> {
  const call = { tool: 'bash', input: { command: 'echo done' } }
  const script = user.script({ main: [{ toolCalls: [call] }, { text: 'Done.' }] })
  const command = [process.execPath, join(ROOT, main), 'run', 'Go.', '-m', script, '--mode', 'auto'] as const
  const env = { ...user.env, ...switches() }
  return new StartedProgram([...command], { cwd: user.directory, env }).ended
}

test('the test build dies where it is told to', async () => {
  const { TEST_POINTS } = switches()
  expect((await run('test/support/main.ts')).signal).toBe('SIGKILL')
  expect(existsSync(TEST_POINTS)).toBe(true)
})

test('the program does not, and nothing of it is off', async () => {
  const { TEST_POINTS } = switches()
  expect(await run('src/cli/main.ts')).toMatchObject({ code: 0, signal: null })
  expect(existsSync(TEST_POINTS)).toBe(false)
  expect(user.rows('SELECT tool, status FROM tool_calls')).toEqual([{ tool: 'bash', status: 'completed' }])
})

test('no source of the program reads a variable of the test build, or asks whether something is off', () => {
  const sources = globSync('{src,dist}/**/*.{ts,js}', {
    cwd: ROOT,
    exclude: ['**/*.test.ts', '**/fixtures/**'],
  })
  expect(sources.length).toBeGreaterThan(100)
  const named = sources.filter((name) =>
    /\b(?:TEST_[A-Z]+|faultsOf|noFaults|isOff|[fF]aults\.\w+|[fF]ault ?[pP]oints?)\b/.test(
      readFileSync(join(ROOT, name), 'utf8'),
    ),
  )
  expect(named).toEqual([])
})
