import { expect, test } from 'vitest'
import { agent, harness, tool } from '../../../test/support/runtime-harness.ts'
import type { ConversationId } from '../../core/ids.ts'
import { askUserTool } from '../../tools/ask-user.ts'
import { PassThrough } from 'node:stream'
import { lastSeq } from '../../runtime/log/stored-events.ts'
import type { Io } from '../io.ts'
import { answerFromElsewhere } from './approval-prompt.ts'
import { askedBefore, onlyAsked, printsAsked } from './open-asks.ts'

const make = tool('make', { toolset: 'shell', effects: 'execute' })
const turn = {
  toolCalls: [
    { tool: 'make', input: {} },
    { tool: 'ask_user', input: { question: 'Which way?' } },
  ],
}

/** Conversations that ask: an approval as #1, and when that is answered a question as #2. */
async function asking(conversations: number) {
  const h = harness({
    tools: [askUserTool(), make],
    agents: [agent('main')],
    script: { main: Array.from({ length: conversations }, () => turn) },
  })
  h.runtime.approvals.attend()
  const ids: ConversationId[] = []
  for (let i = 0; i < conversations; i++) {
    ids.push((await h.start('go')).conversationId)
    await h.clock.settle()
  }
  const approvalOf = (conversationId: ConversationId) =>
    h.store.find('approvals', { where: { conversationId } })[0]!
  const allow = async (conversationId: ConversationId) => {
    const { id } = approvalOf(conversationId)
    await h.clock.until(h.runtime.approvals.answer(id, { answer: 'once', by: 'test' }))
    await h.clock.settle()
    return h.store.find('questions', { where: { conversationId } })[0]!
  }
  return { h, store: h.store, ids, approvalOf, allow }
}

test('a number that one conversation alone has given names what was asked, answered or not', async () => {
  const { store, ids, approvalOf, allow } = await asking(1)
  const approval = approvalOf(ids[0]!)
  expect(onlyAsked(store, '#1', 'approve')).toBe(approval.id)
  expect(() => onlyAsked(store, '#2', 'approve')).toThrow('unknown approval or question #2')
  const question = await allow(ids[0]!)
  expect(onlyAsked(store, '#1', 'approve')).toBe(approval.id)
  expect(onlyAsked(store, '#2', 'answer')).toBe(question.id)
  expect(() => onlyAsked(store, '#1', 'answer')).toThrow(
    `#1 of ${ids[0]} is an approval: ${approval.id} (make`,
  )
  expect(() => onlyAsked(store, '#2', 'approve')).toThrow(
    `#2 of ${ids[0]} is a question: ${question.id} (Which way?)`,
  )
})

test('a number of several conversations is refused, also where all but one of them are answered', async () => {
  const { store, ids, allow } = await asking(2)
  const refused = () => onlyAsked(store, '#1', 'approve')
  expect(refused).toThrow('2 conversations have an approval or question #1')
  await allow(ids[0]!)
  expect(refused).toThrow(`: ${ids[1]}#1 (make), ${ids[0]}#1 (make, answered)`)
})

test('a number behind its conversation is of that one', async () => {
  const { store, ids, approvalOf, allow } = await asking(2)
  for (const id of ids) {
    const question = await allow(id)
    expect(onlyAsked(store, `${id}#1`, 'approve')).toBe(approvalOf(id).id)
    expect(onlyAsked(store, `${id}#2`, 'answer')).toBe(question.id)
    expect(() => onlyAsked(store, `${id}#9`, 'approve')).toThrow(`unknown approval or question #9 in ${id}`)
  }
  const { branchId } = approvalOf(ids[0]!)
  expect(() => onlyAsked(store, `${branchId}#1`, 'approve')).toThrow(`${branchId} is a branch of ${ids[0]}`)
  expect(() => onlyAsked(store, 'nothing#1', 'approve')).toThrow('there is no conversation nothing')
})

test.each(['1', '01', '#', '#01', '#0', '#1.0', '#-1', '#x', '##1', '#1#1', '# 1', '#١', '#1 once'])(
  '%s is refused as what it is: no number',
  async (typed) => {
    const { store } = await asking(1)
    expect(() => onlyAsked(store, typed, 'approve')).toThrow(
      `"${typed}" is not the number of an approval or question`,
    )
  },
)

test('a list of many conversations ends', async () => {
  const { store } = await asking(9)
  expect(() => onlyAsked(store, '#1', 'approve')).toThrow(/9 conversations have .* and 4 more$/)
})

function terminal() {
  const stderr = new PassThrough()
  return { io: { stderr, env: {} } as unknown as Io, said: () => String(stderr.read() ?? '') }
}

test('while somebody waits for a run that asks, each question is printed once with what answers it', async () => {
  const { store, ids, approvalOf, allow } = await asking(1)
  const { io, said } = terminal()
  const print = printsAsked(store, ids[0]!, io)
  const { id, runId } = approvalOf(ids[0]!)
  print()
  print()
  expect(said()).toBe(`offshoot: ${runId} waits for an answer: make\n  offshoot approve ${id} once\n`)
  const question = await allow(ids[0]!)
  print()
  expect(said()).toBe(
    `offshoot: ${runId} waits for an answer: Which way?\n  offshoot answer ${question.id} TEXT\n`,
  )
})

test('who follows a run later sees what it asked before and nobody has answered', async () => {
  const { h, store, ids, approvalOf, allow } = await asking(1)
  const [conversationId] = ids as [ConversationId]
  const seqBefore = lastSeq(store, conversationId)
  const { io, said } = terminal()
  const ports = {
    store,
    runtime: h.runtime,
    askedBefore: () => askedBefore(store, conversationId, seqBefore),
  }
  const output = { pause: () => () => {} }
  const end = answerFromElsewhere({ conversationId, seqBefore } as never, ports, output as never, io)
  expect(said()).toMatch(
    new RegExp(`make[^]*answer it with: offshoot approve ${approvalOf(conversationId).id} `),
  )
  await end()
  await allow(conversationId)
  expect(askedBefore(store, conversationId, seqBefore)).toEqual([])
})
