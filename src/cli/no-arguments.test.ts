import { PassThrough } from 'node:stream'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'
import { bounds } from '../core/limits.ts'
import { answerNoArguments } from './no-arguments.ts'

const user = new TestUser()
afterAll(() => user.remove())

test('data on stdin without a prompt is an error that says what to type', async () => {
  for (const options of [{}, { columns: 80 }])
    expect(await user.call([], { input: 'where is it?\n', ...options })).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'offshoot: stdin holds data, but there is no prompt\n  COMMAND | offshoot "PROMPT" hands the data over with a prompt; COMMAND | offshoot - takes it as the prompt\n',
    })
  expect((await user.call(['ls', '--json'])).stdout).toBe('[]\n')
})

test('an empty stdin prints the list of commands', async () => {
  expect(await user.call([])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Usage: offshoot/),
    stderr: '',
  })
})

describe('a pipe that sends nothing and stays open', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is left alone after a while', async () => {
    const stdout = new PassThrough()
    const io = { stdin: new PassThrough(), stdout, env: {} }
    const answered = answerNoArguments({ helpInformation: () => 'help' } as never, io as never)
    await vi.advanceTimersByTimeAsync(bounds.stdinFirstByteMs)
    await answered
    expect(String(stdout.read())).toBe('help')
  })
})
