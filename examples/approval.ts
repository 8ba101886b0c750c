// The program decides what agents may do: it reads the exact command of each question and answers it.
import { createOffshoot } from 'offshoot'
import { modelOr } from './model.ts'

const command = (text: string) => ({ tool: 'bash', input: { command: text } })
const model = modelOr({
  main: [
    { toolCalls: [command('touch harmless.txt')] },
    { toolCalls: [command('rm -rf .')] },
    { text: 'One command ran, the other was refused.' },
  ],
})
await using offshoot = await createOffshoot({ directory: process.cwd(), store: ':memory:', ...model })
const chat = await offshoot.chat()
const run = await chat.send('Make a file called harmless.txt, then delete everything here.')

// While this loop is open somebody attends, so that questions wait; without it they are denied at once.
for await (const event of run.events({ answers: true })) {
  if (event.type !== 'approval.requested') continue
  const answer = event.detail.startsWith('touch ') ? 'once' : 'deny'
  console.log(`${event.path.join(' > ')} asks: ${event.detail} -> ${answer}`)
  await offshoot.approvals.answer(event.approvalId, answer, { note: 'only harmless.txt' })
}
const { status, text } = await run.result()
console.log(`${status}: ${text}`)
