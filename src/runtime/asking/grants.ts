import { newRuleId } from '../log/new-id.ts'
import { OffshootError } from '../../core/errors.ts'
import type { ConversationId, NewId } from '../../core/ids.ts'
import type { Approval, ApprovalAnswer, StoredRun } from '../../core/run.ts'
import { MAX_PATTERN_LENGTH } from '../../core/rules/pattern-problem.ts'
import type { Grant } from '../../permissions/types.ts'
import { directoryProblem } from '../../tools/cell/widened-directories.ts'
import { readHostRule } from '../../tools/cell/network/host-rule.ts'
import type { Reader, RuleRow, Tx } from '../../store/port.ts'
import type { Change } from '../log/recorder.ts'

/** Where an "always" applies: in this conversation, or in every conversation of its directory. */
export type GrantScope = 'conversation' | 'project'

/** Scope of an answer for more than one call. */
export interface Extent {
  readonly answer: ApprovalAnswer
  /** For `run` and `always`: replaces the shown pattern. */
  readonly pattern?: string | undefined
  /** For `always`; default: `conversation`. */
  readonly scope?: GrantScope | undefined
}

/**
 * What an answer grants beyond the one call: the shown pattern, or the one that the person gave instead. @throws
 * OffshootError `usage` if nothing can be granted, or a detail belongs to another answer.
 */
export function grantOf(
  { id, offered }: Pick<Approval, 'id' | 'offered'>,
  { answer, pattern, scope }: Extent,
): Grant | null {
  const lasts = answer === 'run' || answer === 'always'
  if (scope !== undefined && answer !== 'always') throw unfit('only the answer "always" takes a scope')
  if (pattern !== undefined && !lasts) throw unfit('only the answers "run" and "always" take a pattern')
  if (!lasts) return null
  if (!offered)
    throw unfit(`${id} can be allowed only once: a call of this kind is never allowed permanently`)
  if (pattern === undefined) return offered
  if (pattern.trim() === '' || pattern.length > MAX_PATTERN_LENGTH)
    throw unfit(`a pattern has 1 to ${MAX_PATTERN_LENGTH} characters`)
  const problem = wideningProblem(offered.tool, pattern)
  if (problem !== undefined) throw unfit(`the pattern ${problem}`)
  return { tool: offered.tool, pattern }
}

/** What a sandbox is widened by: an entry as in `sandbox.network`, never every host; one directory. */
function wideningProblem(tool: string, pattern: string): string | undefined {
  if (tool === 'sandbox_write') return directoryProblem(pattern)
  if (tool !== 'sandbox_network') return undefined
  const rule = readHostRule(pattern)
  return 'problem' in rule ? rule.problem : undefined
}

function unfit(message: string): OffshootError {
  return new OffshootError('usage', message, { hint: 'the answers are once, run, always and deny' })
}

/** Stores an "always" in the change that stores the answer. */
export function storeGrant(
  change: Change,
  newId: NewId,
  grant: Grant,
  { conversationId, scope }: { readonly conversationId: ConversationId; readonly scope: GrantScope },
): void {
  const { tool, pattern = null } = grant
  const where =
    scope === 'project'
      ? { conversationId: null, directory: change.tx.get('conversations', conversationId)!.directory }
      : { conversationId, directory: null }
  if (grantsIn(change.tx, where).some((row) => row.tool === tool && row.pattern === pattern)) return
  const rule = { ...where, branchId: null, kind: 'grant', tool, pattern, action: 'allow' } as const
  change.tx.insert('rules', { id: newRuleId(newId), ...rule, createdAt: change.at })
}

/**
 * All lasting grants for a run: its own, its conversation's and its directory's. Read for each approval, so that grants
 * apply in every process, after every restart, and only until they are revoked.
 */
export function grantsFor(
  reader: Reader,
  { id, conversationId }: Pick<StoredRun, 'id' | 'conversationId'>,
): Grant[] {
  const forRun = reader.find('approvals', { where: { runId: id, answer: 'run' } })
  return [...forRun.flatMap(({ offered }) => offered ?? []), ...conversationGrants(reader, conversationId)]
}

/** The grants for every run of a conversation. */
export function conversationGrants(reader: Reader, conversationId: ConversationId): Grant[] {
  const directory = reader.get('conversations', conversationId)?.directory
  return [
    ...grantsIn(reader, { conversationId, directory: null }).map(asGrant),
    ...(directory === undefined ? [] : projectGrants(reader, directory)),
  ]
}

/** The grants for every run of a directory. */
export function projectGrants(reader: Reader, directory: string): Grant[] {
  return grantsIn(reader, { conversationId: null, directory }).map(asGrant)
}

function grantsIn(reader: Reader, where: Pick<RuleRow, 'conversationId' | 'directory'>): RuleRow[] {
  return reader.find('rules', { where: { ...where, branchId: null, kind: 'grant' }, orderBy: 'id' })
}

function asGrant({ tool, pattern }: RuleRow): Grant {
  return { tool, ...(pattern === null ? {} : { pattern }) }
}

/** All permanent grants of a directory: first the directory's own, then by conversation. */
export function listGrants(reader: Reader, directory: string): RuleRow[] {
  const conversations = reader.find('conversations', { where: { directory }, orderBy: 'id' })
  return [
    ...grantsIn(reader, { conversationId: null, directory }),
    ...conversations.flatMap(({ id }) => grantsIn(reader, { conversationId: id, directory: null })),
  ]
}

/** A grant by its id. @throws OffshootError `not_found`, also for a restriction or delegation. */
export function requireGrant(reader: Reader, id: string): RuleRow {
  const row = reader.get('rules', id)
  if (row?.kind === 'grant' && row.branchId === null) return row
  throw new OffshootError('not_found', `there is no grant ${id.slice(0, 100)}`, {
    hint: 'offshoot permissions ls lists them',
  })
}

/** Revokes a grant: the same call asks again. @throws OffshootError `not_found` */
export function revokeGrant(tx: Tx, id: string): RuleRow {
  const row = requireGrant(tx, id)
  tx.delete('rules', id)
  return row
}
