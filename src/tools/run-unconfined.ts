import { NOTHING_MORE } from '../core/command-sandbox.ts'
import { runProcess, type ProcessOptions } from '../exec/run-process.ts'
import type { CommandResult } from './command-cell.ts'

/** A command on this machine as it is, with the user's rights. */
export async function runUnconfined(options: ProcessOptions): Promise<CommandResult> {
  const result = await runProcess(options)
  const nothing = { moved: [], reached: [], refusedPaths: [] }
  return { result, ...nothing, sandbox: 'off', widened: NOTHING_MORE, wasAlone: false }
}
