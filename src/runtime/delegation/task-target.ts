import { parseRun } from '../../core/run-steps.ts'
import { z } from 'zod'
import type { Branch } from '../../core/conversation.ts'
import { isId, type BranchId } from '../../core/ids.ts'
import type { Run, StoredRun } from '../../core/run.ts'
import type { Reader } from '../../store/port.ts'
import { ToolError } from '../../tools/port.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { Deps } from '../context/deps.ts'
import type { ScopePart } from '../context/scope.ts'

/** A subagent for the control tools: its branch, and one of its runs. */
export interface Subagent {
  readonly branch: Branch
  readonly row: Run
  /** Set if this process drives or has driven that run. */
  readonly live: LiveRun | undefined
}

/** Where to look up subagents: the store, and those that this process drives. */
export type SubagentLookup = ScopePart<Pick<Deps, 'store'>, 'latest'>

/** Alternative names of `task_id`; the prefix of the id decides what it is. */
export const targetAliases: Readonly<Record<string, string>> = {
  id: 'task_id',
  subagentId: 'task_id',
  subagent_id: 'task_id',
  branchId: 'task_id',
  branch_id: 'task_id',
  runId: 'task_id',
  run_id: 'task_id',
  taskId: 'task_id',
  agent_id: 'task_id',
}

/** Optional in the parser, so that the answer can list the existing ids. */
export const targetInput = () => ({ task_id: z.string().trim().optional() })

/** The schema for the model: required, unless the tool works on all subagents without it. */
export function targetSchema(shape: z.ZodRawShape, about = 'the task_id that `task` returned'): object {
  const task_id = z.string().describe(about)
  return z.toJSONSchema(z.object({ task_id, ...shape }), { target: 'draft-07', io: 'input' })
}

/** The subagents below a run, whichever run of its branch started them, oldest first. */
export function subagentsBelow(
  { deps, tree }: SubagentLookup,
  run: LiveRun,
  reader: Reader = deps.store,
): Subagent[] {
  const { conversationId, branchId } = run.row
  const branches = reader.find('branches', { where: { conversationId }, orderBy: 'id' })
  const below = new Set<BranchId>([branchId])
  const found: Subagent[] = []
  for (const branch of branches) {
    if (!branch.parentBranchId || !below.has(branch.parentBranchId)) continue
    below.add(branch.id)
    const stored = branch.kind === 'subagent' && latestRun(reader, branch.id)
    if (stored) found.push(subagent(branch, stored, tree.latest(branch.id)))
  }
  return found
}

function latestRun(store: Reader, branchId: BranchId): StoredRun | undefined {
  return store.find('runs', { where: { branchId }, orderBy: 'id', descending: true, limit: 1 })[0]
}

/** Memory is ahead of the store: figures are stored once a turn. */
function subagent(branch: Branch, stored: StoredRun, latest: LiveRun | undefined): Subagent {
  const live = latest?.row.id === stored.id ? latest : undefined
  return { branch, row: live?.row ?? parseRun(stored), live }
}

/**
 * The subagent with an id; undefined for an unknown id. @throws ToolError without an id, and for one that is not below
 * this run.
 */
export function findSubagent(
  scope: SubagentLookup,
  run: LiveRun,
  id: string | undefined,
  reader: Reader = scope.deps.store,
): Subagent | undefined {
  const below = subagentsBelow(scope, run, reader)
  if (!id) throw new ToolError('invalid_input', MISSING, knownIds(below))
  const stored = isId('run', id) ? reader.get('runs', id) : undefined
  const branchId = stored?.branchId ?? (id as BranchId)
  const target = below.find(({ branch }) => branch.id === branchId)
  if (target) return stored ? subagent(target.branch, stored, target.live) : target
  const branch = reader.get('branches', branchId)
  if (!branch) return undefined
  throw new ToolError('refused', `${id} ${whyNot(branch, run)}`, knownIds(below))
}

const MISSING =
  'task_id is missing (it is also read as id, subagentId, branchId or run_id; a prefix brn_ or run_ decides)'

/** @throws ToolError `not_found` for an unknown id, and like `findSubagent`. */
export function requireSubagent(
  scope: SubagentLookup,
  run: LiveRun,
  id: string | undefined,
  reader: Reader = scope.deps.store,
): Subagent {
  const target = findSubagent(scope, run, id, reader)
  if (target) return target
  throw new ToolError('not_found', noSuch(id!), knownIds(subagentsBelow(scope, run, reader)))
}

export function noSuch(id: string): string {
  return `there is no subagent ${id.slice(0, 100)}`
}

function whyNot(branch: Branch, run: LiveRun): string {
  if (branch.conversationId !== run.row.conversationId) return 'belongs to another conversation'
  if (branch.id === run.row.branchId) return 'is yourself'
  if (branch.kind === 'main') return 'is the main agent, not a subagent'
  for (let above = run.parent; above; above = above.parent)
    if (above.row.branchId === branch.id) return 'is an agent above you'
  return 'was not started by you or by a subagent of yours'
}

export function knownIds(below: readonly Subagent[]): string {
  if (below.length === 0) return 'You have started no subagents.'
  const shown = below.slice(-MAX_KNOWN).map(({ branch, row }) => `${branch.id} (${row.agent}, ${row.status})`)
  return `Your subagents: ${shown.join(', ')}`
}

const MAX_KNOWN = 20
