import type { Command } from 'commander'
import { OffshootError } from '../core/errors.ts'
import { bounds } from '../core/limits.ts'
import { FIRST_SCREEN } from './first-screen.ts'
import { write, type Io } from './io.ts'
import { hasPipedInput } from './terminal/piped-input.ts'

/**
 * Bare `offshoot`: what to type, or the list of commands. Data on stdin does not become the prompt by itself: it may be
 * the output of a program, and a prompt is what a person says. @throws OffshootError `usage` for data on stdin.
 */
export async function answerNoArguments(program: Command, io: Io): Promise<void> {
  if (hasPipedInput(io) && (await bringsData(io.stdin)))
    throw new OffshootError('usage', 'stdin holds data, but there is no prompt', {
      hint: 'COMMAND | offshoot "PROMPT" hands the data over with a prompt; COMMAND | offshoot - takes it as the prompt',
    })
  await write(io, io.stdout.isTTY ? FIRST_SCREEN : program.helpInformation())
}

/** Whether a first byte comes. A pipe that is only inherited may send nothing and never end. */
async function bringsData(stdin: Io['stdin']): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const onData = (chunk: Uint8Array | string) => chunk.length > 0 && resolve(true)
  const onEnd = () => resolve(false)
  const timer = setTimeout(onEnd, bounds.stdinFirstByteMs)
  stdin.on('data', onData).once('end', onEnd).once('close', onEnd).once('error', onEnd)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    stdin.off('data', onData).off('end', onEnd).off('close', onEnd)
    stdin.pause().unref?.() // an open stream would keep the process alive
  }
}
