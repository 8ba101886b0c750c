// npx vitest run
import { createTestOffshoot, type ScriptFunction } from 'offshoot/testing'
import { expect, test } from 'vitest'
import { answerCustomer, refundTool } from './refunds.ts'

/** Refunds, then says what the tool said. */
const main: ScriptFunction = ({ number, input }) =>
  number === 1
    ? { toolCalls: [{ tool: 'refund', input: { order: 'A1', eur: 40 } }] }
    : { text: `The tool says: ${input}` }

test.each([true, false])('a refund is paid only if it is approved: %s', async (approved) => {
  const paid: string[] = []
  const refund = refundTool(async (order) => void paid.push(order))
  await using t = await createTestOffshoot({ tools: [refund], script: { main } })
  const { status, receipts } = await answerCustomer(t.offshoot, 'I want my money back.', () => approved)
  expect(status).toBe('completed')
  expect(paid).toEqual(approved ? ['A1'] : [])
  expect(receipts.denied.map(({ code }) => code)).toEqual(approved ? [] : ['denied_by_person'])
  expect(receipts.errors).toEqual([])
})

test('an answer that takes four minutes takes no time here', async () => {
  await using t = await createTestOffshoot({ script: { main: [{ text: 'Hello.', delayMs: 240_000 }] } })
  const { text } = await t.clock.until(answerCustomer(t.offshoot, 'Hello?', () => false))
  expect(text).toBe('Hello.')
})
