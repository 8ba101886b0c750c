import fc from 'fast-check'
import { expect, test } from 'vitest'
import { conversationProblems, expectEvents } from '../../test/support/conversation-problems.ts'
import { agent, harness, refusals, stores, tool } from '../../test/support/runtime-harness.ts'
import { buildContext } from '../core/build-context.ts'
import { createToPrompt } from '../model/prompt.ts'
import type { ScriptInput } from '../model/script.ts'
import { readMessages } from './messages.ts'

type Entry = ScriptInput['agents'][string][number]

const tools = [
  tool('read', { execute: (_, { emit }) => (emit('.'), 'r') }),
  tool('write', { effects: 'write' }),
  tool('bash', { effects: 'execute' }),
  tool('fails', { execute: () => Promise.reject(new Error('no')) }),
  tool('deaf', { execute: () => new Promise(() => {}) }),
  tool('huge', { execute: () => 'x'.repeat(40_000) }),
]

const inputs = fc.constantFrom<object | string>({}, { a: 1 }, 'not JSON', '[]')
const call = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      tool: fc.constantFrom('read', 'read', 'write', 'bash', 'fails', 'huge', 'gone'),
      input: fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: inputs }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ tool: 'deaf', input: {} }) },
  {
    weight: 8,
    arbitrary: fc.record({
      tool: fc.constantFrom('task', 'Agent'),
      input: fc.record({
        prompt: fc.constant('do it'),
        subagent_type: fc.constantFrom('general', 'general', 'explore', 'none'),
      }),
    }),
  },
)
const calls = fc.array(call as fc.Arbitrary<{ tool: string; input: string }>, { maxLength: 3, size: 'max' })
const delayMs = fc.oneof(
  { weight: 20, arbitrary: fc.nat(30_000) },
  { weight: 1, arbitrary: fc.constant(400_000) },
)
const texts = fc.constantFrom('', ' ', 'some words')
const entry: fc.Arbitrary<Entry> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ text: texts, toolCalls: calls, delayMs, chunks: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ error: fc.record({ status: fc.constantFrom(400, 429, 500, 529) }) }) },
)
const entries = (minLength: number) => fc.array(entry, { minLength, maxLength: 24, size: 'max' })
const scenario = fc.record({
  script: fc.record({ main: entries(2), '*': entries(8) }),
  stops: fc.array(
    fc.record({ afterMs: fc.nat(200_000), verb: fc.constantFrom('pause' as const, 'cancel' as const) }),
    {
      maxLength: 2,
    },
  ),
  answers: fc.array(fc.constantFrom('once' as const, 'run' as const, 'always' as const, 'deny' as const), {
    maxLength: 4,
  }),
  attended: fc.boolean(),
  maxTurns: fc.integer({ min: 1, max: 4 }),
  maxDepth: fc.integer({ min: 0, max: 3 }),
})

test.each(stores)(
  'whatever models, tools and people do, every run stops in order (%s store)',
  async (name, open) => {
    const property = fc.asyncProperty(
      scenario,
      async ({ script, stops, answers, attended, maxTurns, maxDepth }) => {
        const store = await open()
        const config = { limits: { maxDepth, maxSpawns: 6, stallMs: 300_000 } }
        const agents = [
          agent('main'),
          agent('general'),
          agent('explore', { tools: ['read', 'deaf'], timeoutMs: 200_000 }),
        ]
        const h = harness({ store, tools, agents, config, script })
        if (attended) h.runtime.approvals.attend()
        const { conversationId, branchId, result, stop } = await h.start('go', { maxTurns })
        for (const { afterMs, verb } of stops) h.clock.after(afterMs, () => stop(verb))
        const people = answerAll(h, answers)
        h.clock.after(50_000_000, () => stop('pause'))
        await h.clock.until(result)
        people()
        h.flush()
        expect(conversationProblems(store, conversationId)).toEqual([])
        expectEvents(store, conversationId, h.told)
        expect(h.scripted.requests.flatMap(({ options }) => refusals(options.prompt))).toEqual([])
        const branches = new Map(store.find('branches', {}).map((branch) => [branch.id, branch]))
        const context = buildContext({ branches, messages: (id) => readMessages(store, id) }, branchId)
        const next = { role: 'user' as const, content: [{ type: 'text' as const, text: 'go on' }] }
        expect(refusals([...createToPrompt()(context), next])).toEqual([])
        await store.close()
      },
    )
    await fc.assert(property, { numRuns: name === 'memory' ? 120 : 30 })
  },
)

/** Somebody who answers each question as it comes, as long as there are answers. */
function answerAll(
  { runtime, store, clock }: ReturnType<typeof harness>,
  answers: readonly ('once' | 'run' | 'always' | 'deny')[],
) {
  const left = [...answers]
  let ended = false
  const look = () => {
    if (ended) return
    for (const { id } of store.find('approvals', { where: { answer: null } })) {
      const answer = left.shift()
      if (answer) runtime.approvals.answer(id, { answer, by: 'person' }).catch(() => {})
    }
    clock.after(7_000, look)
  }
  look()
  return () => void (ended = true)
}
