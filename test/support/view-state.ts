import type { BranchId, ConversationId, RunId } from '../../src/core/ids.ts'
import type { Branch, Conversation } from '../../src/core/conversation.ts'
import { noUsage } from '../../src/core/usage.ts'
import { newBranch, stateOf, type ViewState } from '../../src/client/view-state.ts'
import type { Snapshot } from '../../src/protocol/conversation.ts'
import type { RunRow } from '../../src/protocol/run.ts'

const conversationId = 'cnv_1' as ConversationId
const none = { runs: 0, toolCalls: 0, usage: noUsage, costUsd: 0 }

/** A run with what a test leaves out filled in: a subagent's on `brn_ID`, running. */
export function runRow(
  id: string,
  more: Partial<Omit<RunRow, 'parentRunId'>> & { readonly parentRunId?: string } = {},
): RunRow {
  return {
    conversationId,
    branchId: `brn_${id}` as BranchId,
    callId: null,
    depth: 1,
    agent: 'explore',
    model: 'own/model',
    task: id,
    background: false,
    status: 'running',
    reason: null,
    endReason: null,
    finishReason: null,
    waitingFor: null,
    pausing: null,
    lastAction: null,
    attempt: 1,
    turns: 0,
    maxTurns: 10,
    toolCalls: 0,
    usage: noUsage,
    costUsd: 0,
    queuedAt: 1,
    startedAt: 1,
    endedAt: null,
    queuePosition: null,
    headline: null,
    error: null,
    directory: null,
    effort: null,
    delegations: [],
    budgetLeftUsd: null,
    budgetLeftTokens: null,
    reservedUsd: 0,
    reservedTokens: 0,
    subtree: {
      ...none,
      runs: 1,
    },
    ...more,
    id: id as RunId,
    parentRunId: (more.parentRunId ?? null) as RunId | null,
  }
}

/** A branch: `main` has no parent, the others leave the main one unless said otherwise. */
export function branchRow(
  id: string,
  more: Partial<Record<'kind' | 'parentBranchId' | 'originMessageId', string | null>> & {
    readonly inheritContext?: boolean
  } = {},
) {
  const isMain = id === 'brn_main'
  const parentBranchId = isMain ? null : 'brn_main'
  const given = { kind: isMain ? 'main' : 'subagent', parentBranchId, originMessageId: null, ...more }
  const about = { originToolCallId: null, agent: 'explore', label: id, createdAt: 1 }
  return newBranch({ inheritContext: false, ...about, ...given, id, conversationId } as unknown as Branch)
}

export function viewState(more: Partial<Snapshot> = {}): ViewState {
  const about: Omit<Conversation, 'budget'> = {
    id: conversationId,
    title: 't',
    directory: '/w',
    createdAt: 1,
    updatedAt: 1,
  }
  return stateOf({
    seq: 0,
    conversation: {
      ...about,
      mode: null,
    },
    owner: null,
    sandbox: null,
    branches: [branchRow('brn_main')],
    runs: [],
    runsOmitted: 0,
    calls: [],
    streaming: [],
    approvals: [],
    questions: [],
    inbox: [],
    slots: {
      running: 0,
      max: 4,
      queued: 0,
    },
    budget: {
      usd: null,
      tokens: null,
    },
    totals: none,
    ...more,
  })
}
