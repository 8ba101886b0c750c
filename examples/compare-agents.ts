// Two agents look at the same question side by side; what each of them came to, and what it cost.
import { agent, createOffshoot } from 'offshoot'
import { modelOr } from './model.ts'

const optimist = agent({
  name: 'optimist',
  description: 'looks for what speaks for it',
  prompt: 'Argue for it, in two sentences.',
  tools: [],
})
const critic = agent({
  name: 'critic',
  description: 'looks for what speaks against it',
  prompt: 'Argue against it, in two sentences.',
  tools: [],
})

const model = modelOr({
  optimist: [{ text: 'A rewrite in one language halves what has to be known.' }],
  critic: [{ text: 'A rewrite loses every mended mistake of ten years.' }],
})
await using offshoot = await createOffshoot({ directory: import.meta.dirname, store: ':memory:', ...model })
const chat = await offshoot.chat()
const question = 'Should the parser be rewritten?'
const runs = await Promise.all([optimist, critic].map((one) => chat.spawn(question, { agent: one })))
for (const run of runs) {
  const { status, text, usage, costUsd } = await run.result()
  console.log(`${run.agent}: ${status}, ${usage.output} tokens, ${costUsd ?? 'unknown'} USD\n  ${text}`)
}
