import type { Command } from 'commander'
import { OffshootError } from '../core/errors.ts'
import { personOnly, TO_PERSON } from '../runtime/person/deciding.ts'
import { isOfRun } from '../runtime/person/environment.ts'
import { commandPath } from './help.ts'
import type { Io } from './io.ts'

/** Commands that decide for a person, with all that is below them. */
const DECIDING: ReadonlySet<string> = new Set([
  'approve',
  'answer',
  'trust',
  'permissions revoke',
  'sessions link',
  'sessions revoke',
])

/**
 * Refuses an agent what a person alone decides: these commands, and options that widen what a run may do.
 * @throws OffshootError `usage`
 */
export function checkCaller(command: Command, { env }: Pick<Io, 'env'>): void {
  const what = decidingCommand(command) ?? decidingOption(command)
  if (what === undefined || !isOfRun(env)) return
  throw new OffshootError('usage', `${what} is not for an agent: a run has started this process`, {
    hint: TO_PERSON,
  })
}

/** Whether a person sits at the terminal of this process. A pseudoterminal that an agent has opened is none. */
export function hasPerson({ env, stdin, stderr }: Io): boolean {
  return stdin.isTTY && stderr.isTTY && !isOfRun(env)
}

function decidingCommand(command: Command): string | undefined {
  const words = commandPath(command).split(' ')
  const path = words.map((_, i) => words.slice(0, i + 1).join(' ')).find((each) => DECIDING.has(each))
  return path && `offshoot ${path}`
}

function decidingOption(command: Command): string | undefined {
  const { mode, model, budgetUsd, expose, edit } = command.opts<Options>()
  if (edit !== undefined) return 'inbox --edit'
  return expose ? 'serve --expose' : personOnly({ mode, model, budgetUsd })
}

interface Options {
  readonly mode?: string
  readonly model?: string
  readonly budgetUsd?: number
  readonly expose?: true
  /** Of `inbox`: the words of somebody else. */
  readonly edit?: string
}
