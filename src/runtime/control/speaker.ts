import type { Author } from '../../core/message.ts'
import { hasRunMark } from '../../exec/run-marks.ts'
import type { Reader } from '../../store/port.ts'
import { startingRun } from '../ownership/starting-run.ts'
import type { VerbCommand } from './verbs.ts'

/**
 * The author of input through this process: a person, or if its environment has the mark of a run, that run's agent.
 */
export function authorOfProcess(
  reader: Pick<Reader, 'get' | 'find'>,
  env: Readonly<Record<string, string | undefined>>,
): Author {
  return hasRunMark(env) ? authorOfCommand(reader, process.pid) : 'person'
}

/** The agent whose command started a process. `unknown`: not certain. */
export function authorOfCommand(reader: Pick<Reader, 'get' | 'find'>, pid: number): Author {
  const run = startingRun(reader, pid)
  return run ? { agent: run.agent, branchId: run.branchId } : 'unknown'
}

/** The command with its author, for the process that executes it. */
export function spokenBy<V extends VerbCommand>(command: V, author: Author): V {
  const { verb, args } = command
  if (!SPEAKING.has(verb) || args === null || 'author' in args) return command
  return { ...command, args: { ...args, author } }
}

const SPEAKING: ReadonlySet<VerbCommand['verb']> = new Set<VerbCommand['verb']>([
  'continue',
  'fork',
  'message',
  'spawn',
  'steer',
])
