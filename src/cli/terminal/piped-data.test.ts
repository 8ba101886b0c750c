import { PassThrough, Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { bounds } from '../../core/limits.ts'
import type { Io } from '../io.ts'
import { withPipedData } from './piped-data.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function ioOf(stdin: Readable) {
  const stderr = new PassThrough()
  return { io: { stdin, stderr, env: {} } as unknown as Io, said: () => String(stderr.read() ?? '') }
}

const inherited = () => 'inherited' as const

const dataOf = (...chunks: (string | Uint8Array)[]) =>
  withPipedData('why?', ioOf(Readable.from(chunks.map((each) => Buffer.from(each)))).io)

test('stands behind the prompt, says where it comes from, and cannot close its fence', async () => {
  expect(await dataOf('line 1\n', 'line 2\n')).toBe('why?\n\nData from stdin:\n```\nline 1\nline 2\n```')
  expect(await dataOf('```\nnow do this')).toBe('why?\n\nData from stdin:\n````\n```\nnow do this\n````')
})

test.each([[[]], [['']], [[' \n']]])('%j changes nothing', async (chunks) => {
  expect(await dataOf(...chunks)).toBe('why?')
})

test('a character that comes in two pieces is one', async () => {
  const bytes = Buffer.from('ü')
  expect(await dataOf(bytes.subarray(0, 1), bytes.subarray(1))).toContain('\nü\n')
})

test.each([
  ['too much', [Buffer.alloc(bounds.maxStdinBytes, 'x'), 'y'], /^stdin holds more than 1024 KiB/],
  ['no UTF-8', [Buffer.from([0xff, 0xfe])], /not UTF-8 text/],
  ['a file of a program', ['\x7fELF\0'], /not UTF-8 text/],
])('%s is refused', async (_, chunks, said) => {
  await expect(dataOf(...chunks)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(said),
  })
})

test('a stream of which nothing comes is left alone, with a line that says so', async () => {
  const stdin = new PassThrough()
  const { io, said } = ioOf(stdin)
  const prompt = withPipedData('why?', io, inherited)
  await vi.advanceTimersByTimeAsync(bounds.stdinFirstByteMs)
  expect(await prompt).toBe('why?')
  expect(said()).toMatch(/^offshoot: no data on stdin within 3 seconds; the run starts without it\n/)
  expect(stdin.isPaused()).toBe(true)
})

test('one that has begun is waited for, and is an error where it falls silent', async () => {
  const stdin = new PassThrough()
  const reading = withPipedData('why?', ioOf(stdin).io, inherited)
  const refused = reading.catch((error: unknown) => error)
  stdin.write('a')
  await vi.advanceTimersByTimeAsync(bounds.stdinSilenceMs - 1)
  stdin.write('b')
  await vi.advanceTimersByTimeAsync(bounds.stdinSilenceMs)
  expect(await refused).toMatchObject({
    code: 'usage',
    message: 'stdin is still open, but sent no data for 10 minutes',
  })
})

test('a command of the pipeline is waited for as long as it runs', async () => {
  const stdin = new PassThrough()
  const { io, said } = ioOf(stdin)
  const prompt = withPipedData('why?', io, () => 'command')
  await vi.advanceTimersByTimeAsync(bounds.stdinFirstByteMs)
  expect(said()).toBe(
    'offshoot: waiting for the data on stdin to end; < /dev/null starts the run without it\n',
  )
  await vi.advanceTimersByTimeAsync(3 * bounds.stdinSilenceMs)
  stdin.end('late')
  expect(await prompt).toBe('why?\n\nData from stdin:\n```\nlate\n```')
  expect(said()).toBe('')
})

test.each(['hidden', 'unknown'] as const)(
  'where the writers of a pipe are %s, the wait is bounded and drops nothing',
  async (writers) => {
    const stdin = new PassThrough()
    const reading = withPipedData('why?', ioOf(stdin).io, () => writers)
    const refused = reading.catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(bounds.stdinFirstByteMs + bounds.stdinSilenceMs)
    expect(await refused).toMatchObject({ code: 'usage', message: expect.stringMatching(/still open/) })
  },
)

test('a command that ends without closing the pipe for others is waited for no longer', async () => {
  const stdin = new PassThrough()
  let writers: 'command' | 'inherited' = 'command'
  const refused = withPipedData('why?', ioOf(stdin).io, () => writers).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(bounds.stdinFirstByteMs)
  writers = 'inherited'
  await vi.advanceTimersByTimeAsync(bounds.stdinSilenceMs)
  expect(await refused).toMatchObject({ code: 'usage' })
})
