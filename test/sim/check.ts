import { errorMessage } from '../../src/core/errors.ts'
import type { ConversationId } from '../../src/core/ids.ts'
import type { StoredRun, ToolCall } from '../../src/core/run.ts'
import { exportConversation } from '../../src/export/export-conversation.ts'
import { checkBudgets, checkGrants } from './check-limits.ts'
import { checkReadingOrder } from './check-order.ts'
import { checkPromises } from './check-promises.ts'
import { conversationProblems } from '../support/conversation-problems.ts'
import { NOT_YET } from '../support/not-yet.ts'
import { storedOf, type Stored, type World } from './world.ts'

/** Checks the invariants once everything is recovered and quiet; returns a sentence for each that does not hold. */
export function checkEnd(world: World): void {
  const stored = storedOf(world)
  const report = (invariant: string, what: string) => world.watch.report(invariant, what)
  for (const id of world.told) if (!stored.get('conversations', id)) report('D1', `${id} is not there`)
  checkInputs(world, stored)
  if (world.isAll || !NOT_YET.has('reading order')) checkReadingOrder(world, stored)
  checkPromises(world, stored)
  checkGrants(world, stored)
  checkBudgets(world, stored)
  checkEffects(world, stored)
  for (const [invariant, what] of stillOpen(world)) report(invariant, what)
  if (world.isAll || !NOT_YET.has('half a stop'))
    for (const [invariant, what] of leftBehind(stored)) report(invariant, what)
  for (const { id } of stored.find('conversations', {})) {
    const lookAt = [unread, unmatched, unnamedEnds, untyped, miscounted, otherProblems, unexportable]
    for (const problems of lookAt)
      for (const [invariant, what] of problems(stored, id)) report(invariant, what)
  }
}

type Problem = readonly [invariant: string, what: string]

/**
 * Invariant D1: what was acknowledged is in the messages once, or waits visibly, or was withdrawn; nothing is there
 * twice.
 */
function checkInputs({ said, watch, isAll }: World, stored: Stored): void {
  const mayBeTwice = (how: string) => !isAll && how !== 'start' && NOT_YET.has('withdrawn commands')
  const texts = stored.find('parts', {}).map(({ part }) => (part.type === 'text' ? part.text : ''))
  const items = stored.find('inbox', {})
  for (const text of texts.filter((each) => /withdrawn#\d+\.$/.test(each)))
    watch.report('D1', `${text} was withdrawn and is processed`)
  for (const { token, toldAt, how } of said) {
    const times = texts.filter((text) => text.endsWith(token)).length
    const waits = items.some(({ text, deliveredAt }) => text.endsWith(token) && deliveredAt === null)
    if (times > 1 && !mayBeTwice(how)) watch.report('D1', `${token} is processed ${times} times`)
    if (times > 0 && waits) watch.report('D1', `${token} is processed and waits`)
    if (toldAt !== undefined && times === 0 && !waits)
      watch.report('D1', `${token} was acknowledged and is lost`)
  }
}

/** Invariants R1 and R2: compares what tools did outside of the store with what is stored. */
function checkEffects({ effects, watch }: World, stored: Stored): void {
  const byCall = Map.groupBy(effects, ({ callId }) => callId)
  for (const [callId, done] of byCall) {
    const [first] = done
    const call = stored.get('tool_calls', callId)
    const name = `${first!.tool} ${callId}`
    if (!call) {
      watch.report('R1', `${name} was done without an intent`)
      continue
    }
    // of a run that somebody has paused in its absence, what was begun is dealt with when it goes on
    if (call.status === 'running' && stored.get('runs', call.runId)?.status === 'paused') continue
    if (!['completed', 'failed', 'unknown'].includes(call.status))
      watch.report('R1', `${name} was done and is ${call.status}`)
    if (first!.tool === 'put') continue
    if (done.length > 1) watch.report('R2', `${name} was done ${done.length} times`)
    const isLost = watch.ended.get(callId) !== first!.process
    if (isLost && call.status !== 'unknown')
      watch.report('R2', `the result of ${name} was lost, and it is ${call.status}`)
  }
  for (const call of stored.find('tool_calls', {}))
    if (call.status === 'unknown') checkUnknown({ watch }, stored, call)
}

/** Only what was begun, by another process than the one that says so, and may not run again. */
function checkUnknown({ watch }: Pick<World, 'watch'>, stored: Stored, { id, tool, runId }: ToolCall): void {
  const run = stored.get('runs', runId)
  if (!watch.begun.has(id)) watch.report('R2', `${tool} ${id} is unknown and was never begun`)
  const goesOn = run?.status === 'completed' || run?.status === 'paused'
  if (tool !== 'append' && tool !== 'sign' && goesOn)
    watch.report('R2', `${tool} ${id} may run again and is unknown`)
}

/** Nothing goes on but what waits for people, and nobody holds a lease, or one that is not renewed. */
export function isAtRest(world: World): boolean {
  const open = openRuns(world)
  if (open.length > 0) return open.every((run) => waitsForPerson(world, run))
  const { now } = world.timeline
  return storedOf(world)
    .find('leases', {})
    .every(({ renewedAt }) => now - renewedAt > LEASE_MS)
}

const LEASE_MS = 16_000

/** Runs that have not stopped. */
function openRuns(world: World): StoredRun[] {
  const open = ['queued', 'running', 'waiting'] as const
  return open.flatMap((status) => storedOf(world).find('runs', { where: { status } }))
}

/** Whether all that a run waits for are subagents that somebody has paused, or that wait for such themselves. */
function waitsForPerson(world: World, { id, status, reason }: StoredRun): boolean {
  if (status !== 'waiting' || reason !== 'children') return false
  const below = storedOf(world).find('runs', { where: { parentRunId: id } })
  // one that has paused with a run above it is for that run to go on with, or in the background
  const isPaused = ({ status, reason, background }: StoredRun) =>
    status === 'paused' && (reason === 'user' || (reason === 'parent' && background))
  return below.some((run) => isPaused(run) || waitsForPerson(world, run))
}

/** Invariant R4: each run that ran when a process died has ended, is paused, or waits for a person. */
function* stillOpen(world: World): Generator<Problem> {
  for (const run of openRuns(world))
    if (!waitsForPerson(world, run)) yield ['R4', `${run.id} is still ${run.status} (${run.reason ?? ''})`]
}

/** Invariant R4: what has paused with the run above it goes on with that. */
function* leftBehind(stored: Stored): Generator<Problem> {
  for (const run of stored.find('runs', { where: { status: 'paused' } })) {
    const above = run.parentRunId ? stored.get('runs', run.parentRunId) : undefined
    if (run.reason === 'parent' && !run.background && above?.status === 'waiting')
      yield ['R4', `${run.id} has paused with ${above.id}, which goes on without it`]
  }
}

/**
 * Invariant D4: nothing waits on an idle branch. A paused branch, or one with a cancelled run at or above it, is not
 * idle.
 */
function* unread(stored: Stored, conversationId: ConversationId): Generator<Problem> {
  const latest = (branchId: string): StoredRun | undefined =>
    stored.find('runs', {
      where: { branchId: branchId as never },
      orderBy: 'id',
      descending: true,
      limit: 1,
    })[0]
  const isCancelled = (run: StoredRun | null | undefined): boolean =>
    run?.status === 'cancelled' ||
    Boolean(run?.parentRunId && isCancelled(stored.get('runs', run.parentRunId)))
  for (const { id, branchId, withdrawnAt } of stored.find('inbox', {
    where: { conversationId, deliveredAt: null },
  })) {
    const run = latest(branchId)
    const isOver = run?.status === 'completed' || run?.status === 'failed'
    if (withdrawnAt === null && isOver && !isCancelled(run))
      yield ['D4', `${id} waits on ${branchId}, which is idle`]
  }
}

/** Invariant D3: a text is on a branch as often as it was marked delivered there. */
function* unmatched(stored: Stored, conversationId: ConversationId): Generator<Problem> {
  const items = Map.groupBy(
    stored.find('inbox', { where: { conversationId } }),
    ({ branchId, text }) => `${branchId} ${text}`,
  )
  const said = new Map<string, number>()
  for (const { part, messageId } of stored.find('parts', { where: { conversationId } })) {
    if (part.type !== 'text' && part.type !== 'report') continue
    const message = stored.get('messages', messageId)!
    const key = `${message.branchId} ${part.text}`
    if (message.role === 'user' && items.has(key)) said.set(key, (said.get(key) ?? 0) + 1)
  }
  for (const [key, rows] of items) {
    const delivered = rows.filter(({ deliveredAt }) => deliveredAt !== null).length
    if (delivered !== (said.get(key) ?? 0))
      yield ['D3', `${rows[0]!.id} is delivered ${delivered} times and said ${said.get(key) ?? 0} times`]
  }
}

/** Invariants D5 and R7: a run that was given up says so. */
function* unnamedEnds(stored: Stored, conversationId: ConversationId): Generator<Problem> {
  for (const run of stored.find('runs', { where: { conversationId } })) {
    if (run.status === 'completed' && !run.reportMessageId && !run.reportNote)
      yield ['D5', `${run.id} is completed with neither report nor reason`]
    if (run.status === 'failed' && !run.error) yield ['R7', `${run.id} is failed and does not say why`]
    if (run.error?.code === 'crashed' && run.attempt !== 3)
      yield ['R7', `${run.id} is given up after ${run.attempt} attempts`]
  }
}

/** A run whose branch has a schema has completed with a value that satisfies it. */
function* untyped(stored: Stored, conversationId: ConversationId): Generator<Problem> {
  for (const run of stored.find('runs', { where: { conversationId, status: 'completed' } })) {
    if (!stored.get('branches', run.branchId)?.outputSchema) continue
    const { score } = (run.output ?? {}) as { readonly score?: unknown }
    if (!Number.isInteger(score)) yield ['typed', `${run.id} is completed with ${JSON.stringify(run.output)}`]
  }
}

/**
 * Invariant B2: what each answer cost is counted in the run that got it; an empty one costs too, and leaves no message.
 */
function* miscounted(stored: Stored, conversationId: ConversationId): Generator<Problem> {
  const spent = new Map<string, number>()
  for (const { runId, usage, state } of stored.find('messages', {
    where: { conversationId, role: 'assistant' },
  }))
    if (runId && usage && state === 'complete') spent.set(runId, (spent.get(runId) ?? 0) + usage.output)
  for (const { id, usage } of stored.find('runs', { where: { conversationId } }))
    if (usage.output < (spent.get(id) ?? 0))
      yield ['B2', `${id} counts ${usage.output} tokens of ${spent.get(id) ?? 0}`]
}

function* otherProblems(stored: Stored, conversationId: ConversationId): Generator<Problem> {
  // what was paused keeps its open calls, and what waits for it too
  const hasPaused = stored.find('runs', { where: { conversationId, status: 'paused' }, limit: 1 }).length > 0
  if (hasPaused) return
  for (const problem of conversationProblems(stored, conversationId)) yield ['order', problem]
}

function* unexportable(stored: Stored, conversationId: ConversationId): Generator<Problem> {
  try {
    JSON.stringify(exportConversation(stored, conversationId))
  } catch (error) {
    yield ['export', errorMessage(error)]
  }
}
