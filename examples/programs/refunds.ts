// The code that the two test files beside it test: an agent that refunds orders, and asks before large ones.
import { tool, type Offshoot } from 'offshoot'
import { z } from 'zod'

/** `pay` is what a test replaces. */
export function refundTool(pay: (order: string, eur: number) => Promise<void>) {
  return tool({
    name: 'refund',
    description: 'Refund an order.',
    inputSchema: z.object({ order: z.string(), eur: z.number().positive() }),
    subject: ({ order }) => [{ kind: 'name', value: order }],
    async execute({ order, eur }) {
      await pay(order, eur)
      return `refunded ${eur} EUR for ${order}`
    },
  })
}

/** Answers a customer. `approve` decides about each refund. */
export async function answerCustomer(offshoot: Offshoot, text: string, approve: (call: string) => boolean) {
  const run = await (await offshoot.chat()).send(text)
  for await (const event of run.events({ answers: true })) {
    if (event.type !== 'approval.requested') continue
    await offshoot.approvals.answer(event.approvalId, approve(event.title) ? 'once' : 'deny')
  }
  return await run.result()
}
