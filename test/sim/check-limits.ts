import type { Approval } from '../../src/core/run.ts'
import type { Granted, Stored, World } from './world.ts'

/** What was allowed for good is stored, and nobody is asked about it again, in whatever process. */
export function checkGrants(world: World, stored: Stored): void {
  const { granted, revoked, watch, processes } = world
  const rules = stored.find('rules', { where: { kind: 'grant' } })
  // one that stands still may have decided before, and asks when it wakes
  const wasStopped = processes.some(({ stoppedAt }) => stoppedAt !== undefined)
  for (const grant of granted) {
    if (revoked.length > 0) continue
    const { answer, conversationId, scope, pattern } = grant
    const owner = scope === 'project' ? null : conversationId
    const isStored = rules.some((row) => row.conversationId === owner && row.pattern === pattern)
    if (answer === 'always' && !isStored)
      watch.report('D1', `${pattern} was allowed for the ${scope}, and is not stored`)
    if (wasStopped) continue
    for (const asked of stored.find('approvals', { where: { tool: 'sign' } }))
      if (isCovered(asked, grant))
        watch.report('grants', `${asked.id} asks about ${pattern}, which was allowed for ${answer}`)
  }
}

function isCovered(asked: Approval, { answer, conversationId, runId, scope, pattern, at }: Granted): boolean {
  if (asked.offered?.pattern !== pattern || asked.requestedAt < at + DECIDED_MS) return false
  if (answer === 'run') return asked.runId === runId
  return scope === 'project' || asked.conversationId === conversationId
}

/** A call is decided and then asked about: with the slowest disk within this time. */
const DECIDED_MS = 5_000

/** Invariant B1: every request was held at its worst, so that no answer costs more than there is. */
export function checkBudgets({ plan, allowed, watch }: World, stored: Stored): void {
  for (const { id } of stored.find('conversations', {})) {
    const runs = stored.find('runs', { where: { conversationId: id } })
    const spent = runs.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
    const most = Math.max(plan.budgetUsd ?? Infinity, allowed.get(id) ?? 0)
    if (spent > most + 1e-9) watch.report('B1', `${id} has cost $${spent} of $${most}`)
    const tokens = runs.reduce((sum, { usage }) => sum + usage.input + usage.output, 0)
    if (tokens > (plan.maxTokens ?? Infinity))
      watch.report('B1', `${id} has taken ${tokens} tokens of ${plan.maxTokens}`)
  }
}
