import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { sleep, type Clock } from '../core/clock.ts'
import type { OutputBuffer } from './output-buffer.ts'

export interface Collected {
  readonly ended: Promise<void>
  received(): number
  /** Keeps reading without storing: a full or closed pipe would block a process that is still writing. */
  release(): void
}

/** Decodes a stream into a buffer; a character may be split between two chunks. */
export function collect(
  stream: Readable | null,
  buffer: OutputBuffer,
  onOutput: ((text: string) => void) | undefined,
): Collected {
  if (!stream) return { ended: Promise.resolve(), received: () => 0, release: () => {} }
  const decoder = new StringDecoder('utf8')
  let received = 0
  const push = (text: string) => {
    if (text === '') return
    buffer.push(text)
    onOutput?.(text)
  }
  const onData = (chunk: Buffer) => {
    received += chunk.length
    push(decoder.write(chunk))
  }
  stream.on('data', onData)
  const ended = new Promise<void>((resolve) => {
    stream.once('close', resolve)
    stream.once('end', resolve)
    stream.on('error', () => resolve())
  }).then(() => push(decoder.end()))
  const release = () => {
    stream.off('data', onData)
    stream.resume()
    ;(stream as Partial<{ unref(): void }>).unref?.()
  }
  return { ended, received: () => received, release }
}

/**
 * How long output may pause after the exit, and how long it may last in total, before processes that still hold the
 * pipe are ignored.
 */
const IDLE_MS = 150
const LIMIT_MS = 2_000

/** Reads the rest after the exit. Returns true if another process still holds the streams. */
export async function drain(streams: readonly Collected[], clock: Clock): Promise<boolean> {
  const all = Promise.all(streams.map((each) => each.ended)).then(() => true)
  const end = clock.now() + LIMIT_MS
  for (let before = -1, now = received(streams); now !== before && clock.now() < end;) {
    before = now
    if (await Promise.race([all, pause(clock)])) return false
    now = received(streams)
  }
  for (const each of streams) each.release()
  return true
}

function received(streams: readonly Collected[]): number {
  return streams.reduce((sum, each) => sum + each.received(), 0)
}

/** Waits, then one more event-loop turn, so that pending data is read. */
async function pause(clock: Clock): Promise<false> {
  await sleep(clock, IDLE_MS)
  await new Promise((resolve) => setImmediate(resolve))
  return false
}
