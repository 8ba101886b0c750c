import type { Author } from '../../core/message.ts'
import { hasRunMark } from '../../exec/run-marks.ts'
import type { Reader } from '../../store/port.ts'
import type { VerbCommand } from './verbs.ts'

/** Who speaks through a process with this environment: the agent whose run has started it, else a person. */
export function authorOfProcess(
  reader: Pick<Reader, 'get'>,
  env: Readonly<Record<string, string | undefined>>,
): Author {
  return hasRunMark(env) ? authorOfMark(reader, env['OFFSHOOT_RUN_ID']) : 'person'
}

/** The agent of a run, by its mark. `unknown`: no run of this store has it. */
export function authorOfMark(reader: Pick<Reader, 'get'>, mark: string | undefined): Author {
  const run = mark ? reader.get('runs', mark) : undefined
  return run ? { agent: run.agent, branchId: run.branchId } : 'unknown'
}

/** The command with its author, so that the process that carries it out knows who speaks. */
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
