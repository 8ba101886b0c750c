import { describe, expect, test } from 'vitest'
import type { CallId, ConversationId } from '../core/ids.ts'
import { elapsedMs } from '../core/elapsed.ts'
import { state } from '../core/run-status.ts'
import { createMemoryStore } from '../store/memory.ts'
import type { Reader, Store } from '../store/port.ts'
import { exportConversation } from './export-conversation.ts'
import { documentText } from './document-text.ts'
import { Conversation, countedIds } from './fixtures/conversations.ts'
import { importConversation } from './import-conversation.ts'
import { parseExport } from './parse-export.ts'

const durable = { durable: true }

/** A conversation that a process is working on: a run for each status that is no end, with open calls. */
async function live() {
  const store = createMemoryStore()
  const conversation = await store.tx((tx) => {
    const conversation = new Conversation(tx, countedIds(1_000))
    const [main] = conversation.branches
    conversation.message(main!, 'user', [conversation.text('hello')])
    const running = conversation.run(main!, state.running, { endedAt: null })
    const began = conversation.call(running, { command: 'rm -rf /' }, 'running')
    conversation.approval(running, began, 'once', { tool: 'bash', pattern: 'rm *' })
    conversation.question(running, began, 'this')
    conversation.question(running, began, null)
    const waitingFor = { what: 'approval' as const, detail: 'bash', since: 5 }
    const waiting = conversation.run(main!, state.waiting('approval'), { waitingFor, endedAt: null })
    conversation.approval(waiting, conversation.call(waiting, { command: 'ls' }, 'awaiting_approval'), null)
    conversation.run(main!, state.queued, { startedAt: null, endedAt: null })
    const half = { state: 'streaming' as const }
    conversation.message(main!, 'assistant', [conversation.text('half a sen')], half)
    conversation.message(main!, 'tool', [], half)
    return conversation
  }, durable)
  return { store, conversation }
}

const textOf = (store: Reader, id: ConversationId) => documentText(exportConversation(store, id))

async function imported(text: string, into: Store = createMemoryStore()) {
  const id = await importConversation(into, parseExport(text), countedIds(3_000))
  return { store: into, id }
}

describe('a conversation that was exported while it was paused', () => {
  test('arrives equal to the byte: its call of task waits as before', async () => {
    const store = createMemoryStore()
    const { conversationId } = await store.tx((tx) => {
      const conversation = new Conversation(tx, countedIds(1_000))
      const paused = conversation.run(conversation.branches[0]!, state.paused('user'))
      const id = conversation.call(paused, { prompt: 'look' }, 'running')
      tx.update('tool_calls', id, { tool: 'task', repeatable: true })
      return conversation
    }, durable)
    const text = textOf(store, conversationId)
    const { store: other, id } = await imported(text)
    expect(textOf(other, id)).toBe(text)
  })
})

test.each([
  ['max_turns', 'max_iterations'],
  ['timeout', 'max_iterations'],
  ['max_output_tokens', 'max_iterations'],
  ['restart', 'abandoned'],
  ['user', 'paused'],
  ['parent', 'paused'],
  ['budget', 'paused'],
  ['stall', 'paused'],
] as const)(
  'a run that paused (%s) is `%s`, and documents with the word of before are read',
  async (why, word) => {
    const store = createMemoryStore()
    const { conversationId } = await store.tx((tx) => {
      const conversation = new Conversation(tx, countedIds(1_000))
      conversation.run(conversation.branches[0]!, state.paused(why))
      return conversation
    }, durable)
    const text = textOf(store, conversationId)
    expect(exportConversation(store, conversationId).main!.metadata.state).toBe(word)
    const before = text.replaceAll(`"${word}"`, '"paused"')
    expect(before === text).toBe(word === 'paused')
    for (const document of [text, before]) {
      const { store: other, id } = await imported(document)
      expect(other.find('runs', {})).toMatchObject([{ status: 'paused', endReason: why, finishReason: null }])
      expect(textOf(other, id)).toBe(text)
    }
  },
)

test('a report of a time below 0, because the clock was set back, is exported as one that an import takes', async () => {
  const store = createMemoryStore()
  const { conversationId } = await store.tx((tx) => {
    const conversation = new Conversation(tx, countedIds(1_000))
    const [main] = conversation.branches
    const { id: fromRunId } = conversation.run(main!, state.completed, { queuedAt: 9_000, endedAt: 8_000 })
    const figures = { turns: 1, maxTurns: 5, toolCalls: 0, durationMs: -1_000, costUsd: 0 }
    const report = { ...reportFacts, fromRunId, branchId: main!, figures }
    const subagent = { type: 'report' as const, ...report }
    const id = countedIds(5_000)
    conversation.message(main!, 'user', [{ id: id('prt'), type: 'report', text: 'x', report }])
    const call = { callId: id('cal'), tool: 'task', status: 'completed' as const }
    const result = { id: id('prt'), type: 'tool-result' as const, ...call, output: { text: 'x', subagent } }
    conversation.message(main!, 'tool', [result])
    conversation.grow({ grow: 'item', on: 0, text: 'x' })
    tx.update('inbox', tx.find('inbox', {})[0]!.id, { report })
    return conversation
  }, durable)
  const text = textOf(store, conversationId)
  expect(text.match(/"durationMs":\s*0\b/g)).toHaveLength(3)
  const { store: other, id } = await imported(text)
  expect(textOf(other, id)).toBe(text)
})

test('a run takes no time below 0', () => {
  expect(elapsedMs({ queuedAt: 9, endedAt: 8 })).toBe(0)
  expect(elapsedMs({ queuedAt: 8, endedAt: 9 })).toBe(1)
  expect(elapsedMs({ queuedAt: 8, endedAt: null })).toBe(0)
})

const reportFacts = {
  agent: 'a',
  description: 'b',
  status: 'completed',
  reason: null,
  endReason: 'done',
  note: null,
  error: null,
  form: 'text',
  lacks: null,
  receipts: null,
} as const

describe('a conversation that was exported while it ran', () => {
  test('says so in the words of its state', async () => {
    const { store, conversation } = await live()
    const document = exportConversation(store, conversation.conversationId)
    expect(document.main!.metadata).toMatchObject({ state: 'running', iterations: 9, maxIterations: 16 })
    expect(document.messages.at(-1)).toMatchObject({ role: 'tool', state: 'streaming' })
  })

  test('arrives paused, and from then on is equal to the byte', async () => {
    const { store: from, conversation } = await live()
    const { store, id } = await imported(textOf(from, conversation.conversationId))
    const runs = store.find('runs', { where: { conversationId: id } })
    expect(runs).toHaveLength(3)
    for (const run of runs)
      expect(run).toMatchObject({
        status: 'paused',
        reason: 'restart',
        endReason: 'restart',
        waitingFor: null,
        endedAt: 2_000,
      })
    expect(exportConversation(store, id).messages.map((message) => message.state ?? 'complete')).toEqual([
      'complete',
      'complete',
      'complete',
      'interrupted',
      'streaming',
    ])
    const again = textOf(store, id)
    const next = await imported(again)
    expect(textOf(next.store, id)).toBe(again)
  })

  test('does nothing by itself: open calls are not repeatable, answers to them are gone', async () => {
    const { store: from, conversation } = await live()
    const { store, id } = await imported(textOf(from, conversation.conversationId))
    for (const call of store.find('tool_calls', { where: { conversationId: id } }))
      expect(call.repeatable).toBe(false)
    for (const approval of store.find('approvals', { where: { conversationId: id } }))
      expect(approval).toMatchObject({ answer: null, answeredBy: null, answeredAt: null })
    const questions = store.find('questions', { where: { conversationId: id } })
    expect(questions.map(({ answer, answeredBy }) => [answer, answeredBy])).toEqual([
      [null, 'stop'],
      [null, 'stop'],
    ])
  })
})

describe('what a file cannot bring', () => {
  test('a permission: grants are not exported, restrictions are', async () => {
    const store = createMemoryStore()
    const conversation = await store.tx((tx) => {
      const conversation = new Conversation(tx, countedIds(1_000))
      conversation.rule(conversation.branches[0]!, 'grant')
      conversation.rule(conversation.branches[0]!, 'restriction')
      conversation.rule(null, 'restriction')
      return conversation
    }, durable)
    const { store: other, id } = await imported(textOf(store, conversation.conversationId))
    const rules = other.find('rules', { where: { conversationId: id } })
    expect(rules.map(({ kind, branchId }) => [kind, branchId !== null])).toEqual([
      ['restriction', false],
      ['restriction', true],
    ])
  })

  test('what an answer granted: not in the document, nor taken from one', async () => {
    const { store: from, conversation } = await live()
    const document = textOf(from, conversation.conversationId)
    expect(document).not.toContain('offered')
    const forged = document.replaceAll('"path":["main"]', '"path":["main"],"offered":{"tool":"*"}')
    expect(forged).not.toBe(document)
    const { store, id } = await imported(forged)
    const approvals = store.find('approvals', { where: { conversationId: id } })
    expect(approvals.map(({ offered }) => offered)).toEqual([null, null])
  })
})

describe('new ids', () => {
  test('are in what was said too, and not in what a provider signed', async () => {
    const { store, conversation } = await live()
    const text = textOf(store, conversation.conversationId)
    const { id } = await imported(text, store)
    expect(id).not.toBe(conversation.conversationId)
    const [branch] = store.find('branches', { where: { conversationId: id } })
    const old = conversation.branches[0]!
    const parts = store.find('parts', { where: { conversationId: id } }).map((row) => row.part)
    const thought = parts.find((part) => part.type === 'reasoning')!
    expect(thought.text).toBe(`ask ${old}`)
    expect(thought.metadata).toEqual({ anthropic: { signature: old } })
    const said = await store.tx((tx) => {
      const other = new Conversation(tx, countedIds(9_000))
      const [main] = other.branches
      other.message(main!, 'user', [other.text(`line\n${main},\t(${main})`)])
      return other
    }, durable)
    const copy = await imported(textOf(store, said.conversationId), store)
    const main = store.find('branches', { where: { conversationId: copy.id } })[0]!.id
    expect(exportConversation(store, copy.id).messages[0]!.content).toBe(`line\n${main},\t(${main})`)
    expect(main).not.toBe(branch!.id)
  })

  test('are given when one id anywhere is taken, even of a call without a journal', async () => {
    const store = createMemoryStore()
    const conversation = await store.tx((tx) => {
      const conversation = new Conversation(tx, countedIds(1_000))
      conversation.artifact(new TextEncoder().encode('x'))
      return conversation
    }, durable)
    const document = exportConversation(store, conversation.conversationId)
    const [part] = document.messages[0]!.parts
    const taken = (part as { callId: CallId }).callId
    const other = createMemoryStore()
    await other.tx((tx) => {
      const busy = new Conversation(tx, countedIds(4_000))
      const call = busy.call(busy.run(busy.branches[0]!, state.completed), {}, 'completed')
      tx.insert('tool_calls', { ...tx.get('tool_calls', call)!, id: taken })
    }, durable)
    const id = await importConversation(other, document, countedIds(6_000))
    expect(id).not.toBe(document.id)
    const [copied] = exportConversation(other, id).messages[0]!.parts
    expect((copied as { callId: CallId }).callId).not.toBe(taken)
  })
})
