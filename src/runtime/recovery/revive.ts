import type { AgentDefinition } from '../../core/agent.ts'
import type { Branch } from '../../core/conversation.ts'
import { OffshootError } from '../../core/errors.ts'
import type { BranchId, ConversationId, RunId } from '../../core/ids.ts'
import type { Run } from '../../core/run.ts'
import { isStopped } from '../../core/run-status.ts'
import { parseRun } from '../../core/run-steps.ts'
import type { Reader } from '../../store/port.ts'
import {
  agentOf,
  authorityOf,
  boundsOf,
  narrow,
  rootAuthority,
  type Authority,
  type AuthorityPorts,
} from '../authority/authority.ts'
import { readRestrictions } from '../authority/restrictions.ts'
import { LiveConversation } from '../conversation/live-conversation.ts'
import type { Deps } from '../context/deps.ts'
import { lackedTools } from '../delegation/program-setup.ts'
import { createLiveRun, type LiveRun } from '../run/live-run.ts'
import type { Scope } from '../context/scope.ts'

/**
 * Rebuilds a stored conversation as this process would drive it: the latest run of every branch, with the rules and
 * tools of its spawn, its parent, and the call that waits for it. Drives and writes nothing yet. @throws OffshootError
 * `store_corrupt` for an ambiguous row, because the rights of such a run are unknown.
 */
export function reviveConversation(scope: Omit<Scope, 'tree'>, id: ConversationId): LiveConversation {
  const { store } = scope.deps
  const branches = new Map(
    store.find('branches', { where: { conversationId: id }, orderBy: 'id' }).map((each) => [each.id, each]),
  )
  const rows = store.find('runs', { where: { conversationId: id }, orderBy: 'id' }).map(parseRun)
  const live = new LiveConversation(id, scope, rows)
  const revive = reviver(scope.deps, branches, new Map(rows.map((row) => [row.id, row])))
  const latest = new Map(rows.map((row) => [row.branchId, row]))
  for (const row of latest.values()) live.know(asChild(revive(row), branches.get(row.branchId)!))
  return live
}

type RevivePorts = AuthorityPorts & Pick<Deps, 'store'>

/** A parent that is no longer the latest run of its branch is rebuilt from its row too. */
function reviver(
  deps: RevivePorts,
  branches: ReadonlyMap<BranchId, Branch>,
  rows: ReadonlyMap<RunId, Run>,
): (row: Run) => LiveRun {
  const made = new Map<RunId, LiveRun>()
  const revive = (row: Run): LiveRun => {
    const known = made.get(row.id)
    if (known) return known
    const above = row.parentRunId ? rows.get(row.parentRunId) : undefined
    const parent = above && above.depth < row.depth ? revive(above) : undefined
    const bound = bindingOf(deps, row, branches.get(row.branchId)!, parent)
    const lacksTools = lackedTools(deps.tools, row)
    const run = createLiveRun({ row, parent, call: openCall(deps.store, row), ...bound, lacksTools })
    if (isStopped(row.status)) run.markStopped()
    made.set(row.id, run)
    return run
  }
  return revive
}

/** The call of its parent that it belongs to: the one that waits for it, or the one that started its branch. */
function asChild(run: LiveRun, { originToolCallId }: Branch): LiveRun {
  const callId = run.row.originCallId ?? originToolCallId
  if (run.parent && callId) run.parent.children.set(callId, run)
  return run
}

type Binding = Authority & Pick<LiveRun, 'agent' | 'unusable'>

/** If an agent is no longer defined, the run reports it when it is driven. */
function bindingOf(deps: RevivePorts, row: Run, branch: Branch, parent: LiveRun | undefined): Binding {
  try {
    if (parent?.unusable) throw parent.unusable
    const agent = agentOf(deps, row.agent)
    return { agent, unusable: undefined, ...boundBy(deps, row, branch, { agent, parent }) }
  } catch (error) {
    if (!(error instanceof OffshootError)) throw error
    const agent = { name: row.agent, description: '', prompt: '', source: 'not defined' }
    return { agent, unusable: error, chain: [], tools: [], opened: [] }
  }
}

function boundBy(
  deps: RevivePorts,
  row: Run,
  branch: Branch,
  { agent, parent }: { readonly agent: AgentDefinition; readonly parent: LiveRun | undefined },
): Authority {
  if (parent) return narrow(deps, parent, agent, boundsOf(deps.store, branch.id, row))
  if (branch.kind !== 'main') return authorityOf(deps, deps.store, branch)
  const rules = readRestrictions(deps.store, branch.id)
  return narrow(deps, rootAuthority(deps, deps.store, row.conversationId), agent, { rules }) // each message to the main branch may name another agent
}

/** The call of the parent that has no result yet. */
function openCall(reader: Reader, row: Pick<Run, 'originCallId' | 'background'>): LiveRun['call'] {
  const call = row.originCallId && !row.background ? reader.get('tool_calls', row.originCallId) : undefined
  if (!call || call.resultPartId !== null) return undefined
  const part = reader.get('parts', call.partId)?.part
  return part?.type === 'tool-call' ? { part, title: call.title } : undefined
}
