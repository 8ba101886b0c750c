import { parseRun } from '../../core/run-steps.ts'
import { OffshootError } from '../../core/errors.ts'
import { idPrefix, type BranchId, type ConversationId } from '../../core/ids.ts'
import type { Approval, StoredRun } from '../../core/run.ts'
import { isStopped } from '../../core/run-status.ts'
import type { Reader } from '../../store/port.ts'
import type { LiveConversation } from '../conversation/live-conversation.ts'
import type { Deps } from '../context/deps.ts'
import type { Answering } from '../ownership/owner-commands.ts'
import type { Target } from '../run/put-message.ts'

/** The scope of a verb: a conversation whose lease this process holds, whether its runs are driven or not. */
export interface VerbScope<Ports extends Partial<Deps>> extends Answering {
  readonly deps: Ports
  readonly live: LiveConversation
}

type TargetScope = Pick<VerbScope<Pick<Deps, 'store'>>, 'deps' | 'live'>

/**
 * The run with an id: itself, or the latest of a branch, or of a conversation's main branch. @throws OffshootError
 * `not_found` for an unknown id; undefined: no run on it yet.
 */
export function findTarget({ deps, live }: TargetScope, id: string): Target | undefined {
  const { store } = deps
  const stored =
    idPrefix(id) === 'run' ? store.get('runs', id) : latestRun(store, branchOf(store, live.id, id))
  if (stored && stored.conversationId !== live.id) throw notHere(id, live.id)
  if (!stored && idPrefix(id) === 'run') throw notHere(id, live.id)
  if (!stored) return undefined
  const latest = live.latest(stored.branchId)
  const known = latest?.row.id === stored.id ? latest : undefined
  return { row: known?.row ?? parseRun(stored), live: known }
}

/** @throws OffshootError `not_found`; `conflict` if there is no run yet. */
export function requireTarget(scope: TargetScope, id: string): Target {
  const target = findTarget(scope, id)
  if (target) return target
  throw new OffshootError('conflict', `nothing has run on ${id} yet`, {
    hint: 'offshoot continue starts a run on a branch',
  })
}

/** The branch with an id. @throws OffshootError `not_found` */
export function branchOf(reader: Reader, conversationId: ConversationId, id: string): BranchId {
  switch (idPrefix(id)) {
    case 'cnv': {
      const main = reader.find('branches', { where: { conversationId, kind: 'main' }, limit: 1 })[0]
      if (main && id === conversationId) return main.id
      throw notHere(id, conversationId)
    }
    case 'run': {
      const run = reader.get('runs', id)
      if (run?.conversationId === conversationId) return run.branchId
      throw notHere(id, conversationId)
    }
    default: {
      const branch = reader.get('branches', id)
      if (branch?.conversationId === conversationId) return branch.id
      throw notHere(id, conversationId)
    }
  }
}

/** Whether no process drives the asking run: then the answer is kept until one does. */
export function waits(live: LiveConversation, { branchId }: Pick<Approval, 'branchId'>): boolean {
  const run = live.latest(branchId)
  return !run || isStopped(run.row.status) || !live.drives(run)
}

export function notHere(id: string, conversationId: ConversationId): OffshootError {
  return new OffshootError('not_found', `there is no ${id.slice(0, 100)} in ${conversationId}`, {
    hint: `offshoot show ${conversationId} lists its branches, offshoot ps its runs`,
  })
}

function latestRun(reader: Reader, branchId: BranchId): StoredRun | undefined {
  return reader.find('runs', { where: { branchId }, orderBy: 'id', descending: true, limit: 1 })[0]
}
