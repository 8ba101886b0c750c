import { expect } from 'vitest'
import { parseEvent, isEphemeral, type OffshootEvent } from '../../src/core/events.ts'
import type { ConversationId } from '../../src/core/ids.ts'
import { isStopped } from '../../src/core/run-status.ts'
import { hasRun } from '../../src/runtime/run/count-calls.ts'
import { readMessages } from '../../src/runtime/run/messages.ts'
import { lastSeq, readEvents } from '../../src/runtime/log/stored-events.ts'
import type { Reader } from '../../src/store/port.ts'
import { runProblem } from './run-problem.ts'

/** What must hold of any conversation whose runs have stopped, said as sentences about what does not. */
export function conversationProblems(store: Reader, conversationId: ConversationId): string[] {
  const problems: string[] = []
  const runs = store.find('runs', { where: { conversationId } })
  const calls = store.find('tool_calls', { where: { conversationId } })
  for (const run of runs) {
    problems.push(...[runProblem(run) ?? []].flat())
    if (!isStopped(run.status)) problems.push(`${run.agent} is still ${run.status}`)
    if (run.status === 'completed' && !run.reportMessageId && !run.reportNote)
      problems.push(`${run.agent} completed without a report or a reason`)
    if (run.endedAt === null || run.waitingFor !== null) problems.push(`${run.agent} has not ended`)
    const counted = calls.filter(({ runId, status }) => runId === run.id && hasRun(status)).length
    if (counted !== run.toolCalls) problems.push(`${run.agent} counts ${run.toolCalls} calls of ${counted}`)
  }
  for (const branch of store.find('branches', { where: { conversationId } })) {
    const messages = readMessages(store, branch.id)
    const results = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-result'))
    messages.forEach((message, at) => {
      if (message.position !== at) problems.push(`message ${at} stands at ${message.position}`)
      if (message.state === 'streaming' && message.role !== 'tool')
        problems.push('a message is still streaming')
      if (message.state !== 'complete') return
      for (const part of message.parts) {
        if (part.type !== 'tool-call') continue
        const call = calls.find(({ id }) => id === part.callId)
        const own = results.filter(({ callId }) => callId === part.callId)
        const child = runs.find(({ originCallId }) => originCallId === part.callId)
        if (!call) problems.push(`${part.tool}: no row`)
        else if (child?.status === 'paused' && own.length === 0 && call.status === 'running') continue
        else if (own.length !== 1) problems.push(`${part.tool} (${call.status}) has ${own.length} results`)
        else if (call.resultPartId !== own[0]!.id || call.status !== own[0]!.status)
          problems.push(`${part.tool}: row and result differ`)
      }
    })
  }
  for (const { answer, title } of store.find('approvals', { where: { conversationId } }))
    if (answer === null) problems.push(`${title} is still asked`)
  return problems
}

/** Events: without gaps, each valid, as stored what subscribers were told, and their parts and messages those of the rows. */
export function expectEvents(
  store: Reader,
  conversationId: ConversationId,
  told: readonly OffshootEvent[],
): OffshootEvent[] {
  const events = readEvents(store, conversationId, 0)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1))
  expect(lastSeq(store, conversationId)).toBe(events.length)
  for (const event of [...events, ...told]) parseEvent(event)
  const own = told.filter((event) => event.conversationId === conversationId)
  const durable = own.filter(({ type }) => !isEphemeral(type))
  const first = durable[0]?.seq ?? events.length + 1
  expect(durable).toEqual(events.filter(({ seq }) => seq >= first))
  for (const live of own.filter(({ type }) => isEphemeral(type))) expect(live.sub).toBeGreaterThan(0)
  expectRows(store, conversationId, events)
  return events
}

function expectRows(store: Reader, conversationId: ConversationId, events: readonly OffshootEvent[]): void {
  const parts = events.filter((event) => event.type === 'part.completed')
  const partRows = store.find('parts', { where: { conversationId } })
  expect(new Map(parts.map(({ partId, part }) => [partId, part]))).toEqual(
    new Map(partRows.map(({ id, part }) => [id, part])),
  )
  const completed = events.filter((event) => event.type === 'message.completed')
  const messages = store.find('messages', { where: { conversationId } })
  const closed = messages.filter(({ state }) => state !== 'streaming')
  expect(
    new Map(completed.map(({ messageId, state, position }) => [messageId, { state, position }])),
  ).toEqual(new Map(closed.map(({ id, state, position }) => [id, { state, position }])))
  for (const run of store.find('runs', { where: { conversationId } })) {
    const last = events.findLast((event) => event.runId === run.id && event.type.startsWith('run.'))
    expect(last).toMatchObject({
      status: run.status,
      endReason: run.endReason,
      turns: run.turns,
      toolCalls: run.toolCalls,
    })
  }
}

/** The most subagents that were running at the same time, as the events tell it. */
export function mostRunning(events: readonly OffshootEvent[]): number {
  const running = new Set<string>()
  let most = 0
  for (const event of events) {
    if (!event.type.startsWith('run.') || event.depth === 0 || !('status' in event)) continue
    if (event.status === 'running') running.add(event.runId!)
    else running.delete(event.runId!)
    most = Math.max(most, running.size)
  }
  return most
}
