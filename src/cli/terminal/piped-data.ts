import { fenced } from '../../agents/bounded-text.ts'
import { OffshootError } from '../../core/errors.ts'
import { bounds } from '../../core/limits.ts'
import { STDIN_HEADING } from '../../core/stdin-data.ts'
import type { PipeWriters } from '../../exec/pipe-writers.ts'
import { writeStderr, type Io } from '../io.ts'
import { stdinWriters } from './piped-input.ts'

/**
 * The prompt with what stands on stdin behind it, as data. Offshoot waits for a command that writes to the pipe; a
 * stream that is only inherited and sends nothing at first is left alone, with a line that says so.
 * @throws OffshootError `usage` for what is too large, no text, or does not end.
 */
export async function withPipedData(
  prompt: string,
  io: Io,
  writersOf: (stdin: Io['stdin']) => PipeWriters = stdinWriters,
): Promise<string> {
  const text = await readData(io, () => writersOf(io.stdin))
  return text.trim() === '' ? prompt : `${prompt}\n\n${STDIN_HEADING}\n${fenced(text.replace(/\n$/, ''))}`
}

async function readData(io: Io, writers: () => PipeWriters): Promise<string> {
  const { stdin } = io
  const chunks: Buffer[] = []
  let bytes = 0
  const { promise, resolve, reject } = Promise.withResolvers<'end' | 'late'>()
  const wait = (ms: number, late: () => void) => setTimeout(late, ms)
  const onSilence = () => {
    if (writers() !== 'command') return reject(endless())
    timer = wait(bounds.stdinSilenceMs, onSilence)
  }
  const onNothing = () => {
    if (writers() === 'inherited') return resolve('late')
    timer = wait(bounds.stdinSilenceMs, onSilence)
    void writeStderr(io, WAITING)
  }
  let timer = wait(bounds.stdinFirstByteMs, onNothing)
  const onData = (chunk: Uint8Array | string) => {
    clearTimeout(timer)
    chunks.push(Buffer.from(chunk as Uint8Array))
    bytes += chunks.at(-1)!.length
    if (bytes > bounds.maxStdinBytes) return reject(tooLarge())
    timer = wait(bounds.stdinSilenceMs, onSilence)
  }
  const onEnd = () => resolve('end')
  stdin.on('data', onData).once('end', onEnd).once('close', onEnd).once('error', reject)
  try {
    if ((await promise) === 'end') return decoded(Buffer.concat(chunks))
    await writeStderr(io, NOTHING_CAME)
    return ''
  } finally {
    clearTimeout(timer)
    stdin.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', reject)
    stdin.pause().unref?.() // an open stream would keep the process alive
  }
}

function decoded(bytes: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // no text either
  }
  throw new OffshootError('usage', 'stdin holds data that is not UTF-8 text', {
    hint: 'save it as a file and name the file in the prompt, or leave stdin out with < /dev/null',
  })
}

const WAITING = `offshoot: waiting for the data on stdin to end; < /dev/null starts the run without it
`
const NOTHING_CAME = `offshoot: no data on stdin within ${bounds.stdinFirstByteMs / 1000} seconds; the run starts without it
  < /dev/null skips the wait; for data that takes longer: COMMAND > FILE, then offshoot run … < FILE
`

function tooLarge(): OffshootError {
  const size = `${bounds.maxStdinBytes / 1024} KiB`
  return new OffshootError('usage', `stdin holds more than ${size}, the limit for data beside a prompt`, {
    hint: 'save it as a file and name the file in the prompt: the agent reads the parts that it needs',
  })
}

function endless(): OffshootError {
  const minutes = bounds.stdinSilenceMs / 60_000
  return new OffshootError('usage', `stdin is still open, but sent no data for ${minutes} minutes`, {
    hint: 'save the data to a file: offshoot run … < FILE',
  })
}
