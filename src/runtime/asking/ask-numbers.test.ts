import { describe, expect, test } from 'vitest'
import { agent, harness, stores, tool } from '../../../test/support/runtime-harness.ts'
import { askUserTool } from '../../tools/ask-user.ts'

const make = tool('make', { toolset: 'shell', effects: 'execute' })
const ask = { tool: 'ask_user', input: { question: 'Which?' } }
const call = { tool: 'make', input: {} }

describe.each(stores)('the numbers of approvals and questions, in the %s store', (_, open) => {
  test('count both together, and stay when something else is answered', async () => {
    const store = await open()
    const h = harness({
      tools: [askUserTool(), make],
      agents: [agent('main')],
      script: { main: [{ toolCalls: [call, ask] }, { toolCalls: [ask, call] }, { text: 'done' }] },
      store,
    })
    h.runtime.approvals.attend()
    const { result } = await h.start('go')
    await h.clock.settle()
    const numbers = () => ({
      approvals: store.find('approvals', { orderBy: 'number' }).map(({ number, answer }) => [number, answer]),
      questions: store.find('questions', { orderBy: 'number' }).map(({ number, answer }) => [number, answer]),
    })
    const answerAll = async () => {
      for (const { id } of store.find('approvals', { where: { answer: null } }))
        await h.clock.until(h.runtime.approvals.answer(id, { answer: 'once', by: 'test' }))
      for (const { id } of store.find('questions', { where: { answeredAt: null } }))
        await h.clock.until(h.runtime.questions.answer(id, { text: 'this', by: 'test' }))
      await h.clock.settle()
    }
    await answerAll()
    await answerAll()
    await answerAll()
    await answerAll()
    await h.clock.until(result)
    const { approvals, questions } = numbers()
    expect([...approvals, ...questions].map(([number]) => Number(number)).toSorted((a, b) => a - b)).toEqual([
      1, 2, 3, 4,
    ])
    h.flush()
    const told = h.told.flatMap((event) =>
      event.type === 'approval.requested' || event.type === 'question.asked' ? [event.number] : [],
    )
    expect(told).toEqual([1, 2, 3, 4])
    await store.close()
  })
})
