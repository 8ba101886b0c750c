import type { Command } from 'commander'
import { OffshootError } from '../core/errors.ts'
import { isStartedByRun } from '../exec/lineage.ts'
import { personOnly, TO_PERSON } from '../runtime/person/deciding.ts'
import { driversOf } from '../runtime/person/drivers.ts'
import { isOfRun } from '../runtime/person/environment.ts'
import type { Reader } from '../store/port.ts'
import { commandPath } from './help.ts'
import type { Io } from './io.ts'
import { openStore } from './open-store.ts'

/** Commands that decide for a person, with all that is below them. */
const DECIDING: ReadonlySet<string> = new Set(['approve', 'answer', 'trust', 'permissions revoke'])

/**
 * Refuses an agent what a person alone decides: these commands, and options that widen what a run may do.
 * @throws OffshootError `usage`
 */
export async function checkCaller(command: Command, io: Io): Promise<void> {
  const what = decidingCommand(command) ?? decidingOption(command)
  if (what === undefined || !(await isAgent(io))) return
  throw new OffshootError('usage', `${what} is not for an agent: a run has started this process`, {
    hint: TO_PERSON,
  })
}

/** Whether a person sits at the terminal of this process. Whoever starts a pseudoterminal for it is none. */
export function hasPerson(io: Io, reader: Reader): boolean {
  return Boolean(io.stdin.isTTY && io.stderr.isTTY) && !isAgentIn(io, reader)
}

async function isAgent(io: Io): Promise<boolean> {
  if (isOfRun(io.env)) return true
  if (io.callerPid === undefined) return false
  await using store = await openStore(io)
  return isAgentIn(io, store)
}

function isAgentIn({ env, callerPid }: Io, reader: Reader): boolean {
  return isOfRun(env) || (callerPid !== undefined && isStartedByRun(callerPid, driversOf(reader)))
}

function decidingCommand(command: Command): string | undefined {
  const words = commandPath(command).split(' ')
  const path = words.map((_, i) => words.slice(0, i + 1).join(' ')).find((each) => DECIDING.has(each))
  return path && `offshoot ${path}`
}

function decidingOption(command: Command): string | undefined {
  const { mode, model, budgetUsd, expose } = command.opts<Options>()
  return expose ? 'serve --expose' : personOnly({ mode, model, budgetUsd })
}

interface Options {
  readonly mode?: string
  readonly model?: string
  readonly budgetUsd?: number
  readonly expose?: true
}
