import type { Command } from 'commander'
import { OffshootError } from '../core/errors.ts'
import type { ConversationId } from '../core/ids.ts'
import type { Mode } from '../permissions/modes.ts'
import type { Ownership } from '../runtime/ownership/leases.ts'

/**
 * Refuses options that were given and could do nothing. `which`: by their names, `--model`; default: all of the command.
 * @throws OffshootError `usage`
 */
export function refuseUnused(
  command: Command,
  { why, hint, which }: { readonly why: string; readonly hint: string; readonly which?: readonly string[] },
): void {
  const given = command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .flatMap(({ long }) => (long && (which?.includes(long) ?? true) ? [long] : []))
  if (given.length > 0)
    throw new OffshootError('usage', `${given.join(', ')} has no effect: ${why}`, { hint })
}

interface Decided {
  readonly mode?: Mode
  readonly approvals?: 'wait' | 'deny'
  readonly set?: object
}

/**
 * Refuses what another process decides: what is allowed, and who is asked, is the matter of the one that drives the
 * conversation. @throws OffshootError `conflict`
 */
export function refuseDecidedElsewhere({ mode, approvals, set }: Decided, driver: string): void {
  if (mode === undefined && approvals !== 'deny' && set === undefined) return
  const flag = mode !== undefined ? '--mode' : set === undefined ? '--approvals deny' : '--set'
  throw new OffshootError(
    'conflict',
    `${flag} has no effect: ${driver} runs this conversation, and decides that itself`,
    {
      hint: LEAVE_OUT,
    },
  )
}

const LEAVE_OUT = 'leave it out, or wait until the conversation has stopped'

/** Refuses the rules and instructions of one run where another process drives the conversation. */
export function refuseRulesElsewhere(flags: HereAlone, driver: string): void {
  refuseHereAlone(flags, { why: `${driver} runs this conversation, and cannot take`, hint: LEAVE_OUT })
}

/** What only the process that drives a run can heed, by its option. */
const HERE_ALONE = {
  allow: '--allow',
  deny: '--deny',
  allowedTools: '--allowedTools',
  disallowedTools: '--disallowedTools',
  addDir: '--add-dir',
  appendSystemPrompt: '--append-system-prompt',
  jsonSchema: '--json-schema',
  sandbox: '--sandbox',
} as const

type HereAlone = { readonly [name in keyof typeof HERE_ALONE]?: unknown }

/** @throws OffshootError `conflict` */
export function refuseHereAlone(
  flags: HereAlone,
  { why, hint }: { readonly why: string; readonly hint: string },
): void {
  const given = Object.entries(HERE_ALONE).find(
    ([name]) => flags[name as keyof typeof HERE_ALONE] !== undefined,
  )
  if (given) throw new OffshootError('conflict', `${why} ${given[1]}`, { hint })
}

/** The options of one process that have no meaning in another. */
export const hereAlone: readonly string[] = Object.values(HERE_ALONE)

/** The same, where a living process drives a conversation and would be given the command. */
export function refuseIfDriven(
  { ownership }: { readonly ownership?: Pick<Ownership, 'livingOwner'> | undefined },
  id: ConversationId,
  decided: Decided & HereAlone,
): void {
  const owner = ownership?.livingOwner(id)
  if (!owner) return
  refuseDecidedElsewhere(decided, `process ${owner.pid}`)
  refuseRulesElsewhere(decided, `process ${owner.pid}`)
}
