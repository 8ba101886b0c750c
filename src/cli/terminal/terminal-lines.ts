import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Io } from '../io.ts'

/** Lines that a person types, kept until they are asked for. */
export interface Lines {
  /** The next line; null when no more will come. @throws the signal's reason */
  next(prompt: string, signal: AbortSignal): Promise<string | null>
  close(): void
}

/** Reads the terminal until it is closed. While it is open Ctrl-C is a key, so it is handed on as the signal that it was. */
export function readLines(io: Io): Lines {
  const { createInterface } = process.getBuiltinModule('node:readline') // few runs ask a person
  const terminal = createInterface({ input: io.stdin, output: io.stderr, historySize: 0 })
  const typed: string[] = []
  let ended = false
  let asking = false
  let wake = () => {}
  terminal.on('line', (line) => {
    typed.push(line)
    wake()
  })
  terminal.on('close', () => {
    ended = true
    wake()
  })
  terminal.on('SIGINT', () => io.interrupt())
  return {
    async next(prompt, signal) {
      terminal.setPrompt(prompt)
      if (!ended) terminal.prompt()
      asking = true
      while (typed.length === 0 && !ended) {
        signal.throwIfAborted()
        await new Promise<void>((resolve) => {
          wake = resolve
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
      asking = typed.length === 0
      return typed.shift() ?? null
    },
    close() {
      terminal.close()
      if (asking) io.stderr.write('\n') // what comes next does not belong behind the prompt
    },
  }
}

const MAX_TURNS = 100
const CTRL_C = 0x03
const CTRL_D = 0x04

/**
 * Waits for one key of a person, without Enter; null when the terminal is closed. Ctrl-C is handed on as the signal that
 * it was. What comes with the key, as of a pasted text, is dropped. @throws the signal's reason
 */
export async function readKey(
  { stdin, interrupt }: Pick<Io, 'stdin' | 'interrupt'>,
  signal: AbortSignal,
): Promise<string | null> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<string | null>()
  const receive = (data: Buffer | string) => {
    const bytes = Buffer.from(data)
    if (bytes.includes(CTRL_C)) interrupt()
    else if (bytes[0] === CTRL_D) resolve(null)
    else resolve(bytes.toString('utf8').slice(0, 1))
  }
  const onEnd = () => resolve(null)
  const onAbort = () => reject(signal.reason as Error)
  stdin.setRawMode(true)
  stdin.on('data', receive).on('end', onEnd).resume() // whoever read before has paused it
  signal.addEventListener('abort', onAbort)
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    stdin.off('data', receive).off('end', onEnd)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

/**
 * Reads away what was typed before anybody could see what it would answer. The terminal stays in raw mode, so that a
 * line that is begun is among it; Ctrl-C is handed on.
 */
export async function dropTyped({ stdin, interrupt }: Pick<Io, 'stdin' | 'interrupt'>): Promise<void> {
  let more = true
  const drop = (data: Buffer | string) => {
    more = true
    if (Buffer.from(data).includes(CTRL_C)) interrupt()
  }
  stdin.setRawMode(true)
  stdin.on('data', drop).resume() // whoever read before has paused it
  for (let turn = 0; more && turn < MAX_TURNS; turn++) {
    more = false
    await nextTurn()
    await nextTurn() // the first may come before the terminal was looked at
  }
  stdin.off('data', drop)
}
