import type { ErrorCode } from '../core/errors.ts'
import type { RunResult } from '../runtime/views/run-result.ts'
import { endSignals } from './early-signals.ts'

/** docs/cli.md documents the same codes. */
export const exitCodes = {
  completed: 0,
  failed: 1,
  usage: 2,
  config: 3,
  paused: 4,
  denied: 5,
  ...endSignals,
} as const

/** How a command says what its exit code is. */
export type SetExitCode = (code: number) => void

export function exitCodeOfError(code: ErrorCode): number {
  switch (code) {
    case 'usage':
    case 'not_found':
      return exitCodes.usage
    case 'config':
    case 'key':
    case 'store_corrupt':
    case 'store_newer':
    case 'store_foreign':
    case 'store_readonly':
      return exitCodes.config
    default:
      return exitCodes.failed
  }
}

export function exitCodeOfRun(result: RunResult): number {
  switch (result.status) {
    case 'completed':
      return result.denials.length > 0 ? exitCodes.denied : exitCodes.completed
    case 'paused':
    case 'waiting': // for a person: its program has left it
      return exitCodes.paused
    default:
      return exitCodes.failed
  }
}
