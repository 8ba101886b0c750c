// node --test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestOffshoot } from 'offshoot/testing'
import { answerCustomer, refundTool } from './refunds.ts'

const refundTwice = [
  {
    toolCalls: [
      { tool: 'refund', input: { order: 'A1', eur: 40 } },
      { tool: 'refund', input: { order: 'B2', eur: 9 } },
    ],
  },
  { text: 'Done.' },
]

void test('each refund is decided by itself', async () => {
  const paid: string[] = []
  const refund = refundTool(async (order, eur) => void paid.push(`${order} ${eur}`))
  await using t = await createTestOffshoot({ tools: [refund], script: { main: refundTwice } })
  const asked: string[] = []
  const { receipts } = await answerCustomer(t.offshoot, 'Refund A1 and B2.', (call) => asked.push(call) === 1)
  assert.equal(asked.length, 2)
  assert.deepEqual(paid, ['A1 40'])
  assert.equal(receipts.denied.length, 1)
  assert.match(JSON.stringify(t.model.requests.at(-1)?.options.prompt), /refunded 40 EUR for A1/)
})

void test('a tool that fails is told to the model, and the run goes on', async () => {
  const refund = refundTool(async () => {
    throw new Error('the bank is closed')
  })
  await using t = await createTestOffshoot({ tools: [refund], script: { main: refundTwice } })
  const { status, text } = await answerCustomer(t.offshoot, 'Refund A1.', () => true)
  assert.deepEqual({ status, text }, { status: 'completed', text: 'Done.' })
  assert.match(JSON.stringify(t.model.requests.at(-1)?.options.prompt), /the bank is closed/)
})
