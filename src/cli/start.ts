import { keepAlive } from '../exec/keep-alive.ts'
import { processIo } from './io.ts'
import { runProgram } from './program.ts'

/** All that is loaded once signals are taken care of: one import, since each costs a start the reading of a file. */
export function start(args: readonly string[]): Promise<number> {
  return keepAlive(runProgram(args, processIo()))
}
