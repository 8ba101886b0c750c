import type { Branch } from '../core/conversation.ts'
import { textOf } from '../core/message.ts'
import type { StoredRun } from '../core/run.ts'
import type { RunStatus } from '../core/run-status.ts'
import { turnsOfBranch } from '../core/turn-figures.ts'
import { addCost, addUsage } from '../core/usage.ts'
import type { InboxRow, RuleRow } from '../store/port.ts'
import { groupBy, type ConversationRows } from './conversation-rows.ts'
import { factsInDocument } from './possible-figures.ts'
import type {
  BranchMetadata,
  BranchState,
  ExportedApproval,
  ExportedCall,
  ExportedInboxItem,
  ExportedMessage,
  ExportedQuestion,
  ExportedRule,
  ExportedRun,
} from './document.ts'

export type MetadataOf = (branch: Branch, messages: readonly ExportedMessage[]) => BranchMetadata

/** A document's facts about a branch, besides its messages. */
export function metadataOf(rows: ConversationRows): MetadataOf {
  const runs = groupBy(rows.runs, (run) => run.branchId)
  const exportRun = runExporter(rows)
  const inbox = groupBy(rows.inbox, (item) => item.branchId)
  const todos = new Map(rows.todos.map((row) => [row.branchId, row]))
  const rules = groupBy(rows.rules, (rule) => rule.branchId)
  return (branch, messages) => {
    const own = runs.get(branch.id) ?? []
    const plan = todos.get(branch.id)
    const items = inbox.get(branch.id)?.map(exportedItem)
    const restrictions = exportedRestrictions(rules.get(branch.id))
    return {
      ...(branch.kind === 'subagent' ? aboutTask(branch, messages) : {}),
      agent: branch.agent,
      label: branch.label,
      ...(branch.outputSchema ? { outputSchema: branch.outputSchema } : {}),
      ...figures(own),
      runs: own.map(exportRun),
      ...(plan ? { todos: { items: plan.items, updatedAt: plan.updatedAt } } : {}),
      ...(items ? { inbox: items } : {}),
      ...(restrictions ? { restrictions } : {}),
    }
  }
}

/** Only restrictions: a file must not grant permissions, so grants are left out. */
export function exportedRestrictions(rules: readonly RuleRow[] = []): ExportedRule[] | undefined {
  const restrictions = rules.filter((rule) => rule.kind === 'restriction')
  if (restrictions.length === 0) return undefined
  return restrictions.map(({ tool, pattern, action, createdAt }) => ({ tool, pattern, action, createdAt }))
}

function aboutTask({ id }: Branch, messages: readonly ExportedMessage[]) {
  const task = messages.find((message) => message.role === 'user')
  return { ...(task ? { task: textOf(task.parts) } : {}), subagentId: id }
}

function figures(runs: readonly StoredRun[]): Partial<BranchMetadata> {
  const last = runs.at(-1)
  if (!last) return {}
  const { used, most } = turnsOfBranch(runs)
  return {
    state: branchState(last),
    iterations: used,
    maxIterations: most,
    usage: runs.map((run) => run.usage).reduce(addUsage),
    costUsd: runs.map((run) => run.costUsd).reduce(addCost),
  }
}

function branchState({ status, reason }: Pick<StoredRun, 'status' | 'reason'>): BranchState {
  if (status === 'paused' && reason === 'limit') return 'max_iterations'
  return status === 'paused' && reason === 'restart' ? 'abandoned' : STATES[status]
}

const STATES: Readonly<Record<RunStatus, BranchState>> = {
  queued: 'running',
  running: 'running',
  waiting: 'running',
  paused: 'paused',
  completed: 'complete',
  failed: 'failed',
  cancelled: 'cancelled',
}

function runExporter(rows: ConversationRows): (run: StoredRun) => ExportedRun {
  const calls = groupBy(rows.tool_calls, (call) => call.runId)
  const approvals = groupBy(rows.approvals, (approval) => approval.callId)
  const questions = groupBy(rows.questions, (question) => question.callId)
  return ({ conversationId: _, branchId: __, pausing: ___, ...stored }) => ({
    ...withoutNulls(stored, ['output', 'setup', 'partialFrom', 'unreported', 'finishReason']),
    calls: (calls.get(stored.id) ?? []).map(
      ({ conversationId: _, branchId: __, runId: ___, facts, ...call }): ExportedCall => {
        const asked = approvals.get(call.id)?.map(exportedApproval)
        const inWords = questions.get(call.id)?.map(exportedQuestion)
        return {
          ...call,
          ...(facts ? { facts } : {}),
          ...(asked ? { approvals: asked } : {}),
          ...(inWords ? { questions: inWords } : {}),
        }
      },
    ),
  })
}

function exportedApproval({
  conversationId: _,
  branchId: __,
  runId: ___,
  callId: ____,
  offered: _____,
  number: ______,
  sandbox,
  ...approval
}: ConversationRows['approvals'][number]): ExportedApproval {
  return { ...approval, ...(sandbox ? { sandbox } : {}) }
}

function exportedQuestion({
  conversationId: _,
  branchId: __,
  runId: ___,
  callId: ____,
  number: _____,
  ...question
}: ConversationRows['questions'][number]): ExportedQuestion {
  return question
}

function exportedItem({ conversationId: _, branchId: __, ...item }: InboxRow): ExportedInboxItem {
  const { report } = item
  return withoutNulls({ ...item, ...(report ? { report: factsInDocument(report) } : {}) }, [
    'author',
    'report',
  ])
}

/** Fields of later versions are left out if empty, so that older documents stay unchanged. */
function withoutNulls<T extends object, K extends keyof T>(row: T, names: readonly K[]): T {
  return Object.fromEntries(
    Object.entries(row).filter(
      ([name, value]) => !(names as readonly PropertyKey[]).includes(name) || (value ?? null) !== null,
    ),
  ) as T
}
