import type { Command } from 'commander'
import { OffshootError } from '../core/errors.ts'
import type { ConversationId } from '../core/ids.ts'
import type { ModelSettings } from '../core/model-settings.ts'
import { personOnly, TO_PERSON, turnOfPerson } from '../person/person-only.ts'
import { hasRunMark } from '../exec/run-marks.ts'
import type { VerbCommand } from '../runtime/control/verbs.ts'
import type { Reader } from '../store/port.ts'
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
export function checkCaller(command: Command, io: Pick<Io, 'env'>): void {
  refuseAgent(decidingCommand(command) ?? decidingOption(command), io)
}

/**
 * Refuses an agent a turn in a conversation that a person has given a mode wider than `ask`. The stored mode counts: the
 * process that drives a conversation stores its own. @throws OffshootError `usage`
 */
export function checkTurn(reader: Reader, id: ConversationId | undefined, io: Pick<Io, 'env'>): void {
  if (id === undefined || !hasRunMark(io.env)) return
  refuseAgent(turnOfPerson([reader.get('conversations', id)?.mode]), io)
}

/** Whether a command starts or steers a turn. */
export function startsTurn({ verb, args }: VerbCommand): boolean {
  return SPEAKING.has(verb) || (verb === 'fork' && args !== null)
}

const SPEAKING: ReadonlySet<VerbCommand['verb']> = new Set<VerbCommand['verb']>([
  'continue',
  'steer',
  'spawn',
  'message',
  'inbox.edit',
  'inbox.promote',
])

function refuseAgent(what: string | undefined, { env }: Pick<Io, 'env'>): void {
  if (what === undefined || !hasRunMark(env)) return
  throw new OffshootError('usage', `${what} is reserved for a person, and a run started this process`, {
    hint: TO_PERSON,
  })
}

/** Whether a person sits at the terminal of this process. A pseudoterminal that an agent has opened is none. */
export function hasPerson({ env, stdin, stderr }: Io): boolean {
  return stdin.isTTY && stderr.isTTY && !hasRunMark(env)
}

function decidingCommand(command: Command): string | undefined {
  const words = commandPath(command).split(' ')
  const path = words.map((_, i) => words.slice(0, i + 1).join(' ')).find((each) => DECIDING.has(each))
  return path && `offshoot ${path}`
}

function decidingOption(command: Command): string | undefined {
  const { mode, model, set: settings, expose, edit, ...more } = command.opts<Options>()
  if (edit !== undefined) return 'inbox --edit'
  if (more.allow ?? more.allowedTools) return 'run --allow'
  if (more.addDir) return 'run --add-dir'
  if (more.sandbox !== undefined && more.sandbox !== 'required') return `the sandbox ${more.sandbox}`
  const budgetUsd = more.budgetUsd ?? more.maxBudgetUsd
  return expose ? 'serve --expose' : (personOnly({ mode, model, budgetUsd, settings }) ?? foreignMode(more))
}

/** A mode of Claude Code that is none of ours counts as a wide one. */
function foreignMode({ permissionMode }: Options): string | undefined {
  return permissionMode === 'default' ? undefined : personOnly({ mode: permissionMode })
}

interface Options {
  readonly mode?: string
  readonly model?: string
  readonly permissionMode?: string
  readonly budgetUsd?: number
  readonly set?: ModelSettings
  readonly maxBudgetUsd?: number
  readonly allow?: readonly string[]
  readonly allowedTools?: readonly string[]
  readonly addDir?: readonly string[]
  readonly sandbox?: string
  readonly expose?: true
  /** Of `inbox`: the words of somebody else. */
  readonly edit?: string
}
