import { runProcess, type ProcessOptions } from '../exec/run-process.ts'
import type { CommandResult } from './command-cell.ts'

/** A command on this machine as it is, with the user's rights. */
export async function runUnconfined(options: ProcessOptions): Promise<CommandResult> {
  return { result: await runProcess(options), moved: [], sandbox: 'off', reached: [] }
}
