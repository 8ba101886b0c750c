import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  conversationProblems,
  expectEvents,
  mostRunning,
} from '../../../test/support/conversation-problems.ts'
import { readable } from '../../../test/support/model-request.ts'
import {
  agent,
  handClock,
  harness,
  rawModel,
  refusals,
  stores,
  tool,
  type HandClock,
} from '../../../test/support/runtime-harness.ts'
import { buildContext } from '../../core/build-context.ts'
import type { ConversationId } from '../../core/ids.ts'
import { isFinal } from '../../core/run-status.ts'
import { bestEffort } from '../../core/rejections.ts'
import { createModel } from '../../model/language-model.ts'
import type { Model, ModelPart, ModelRequest } from '../../model/port.ts'
import { createScriptedModel } from '../../model/scripted-model.ts'
import type { Reader } from '../../store/port.ts'
import { createToPrompt } from '../../model/provider-prompt.ts'
import type { ScriptAnswer as Entry } from '../../model/model-script.ts'
import { readMessages } from '../run/messages.ts'

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
        run_in_background: fc.boolean(),
      }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      tool: fc.constantFrom('task_status', 'task_output', 'task_message', 'task_cancel'),
      input: fc.record({ task_id: fc.constantFrom('#0', '#1', '#2', '#3') }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      tool: fc.constant('task_message'),
      input: fc.record({
        task_id: fc.constantFrom('#0', '#1', '#2'),
        message: fc.constant('listen'),
        mode: fc.constantFrom('steer', 'follow_up'),
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constant({ tool: 'task_status', input: { wait_ms: 20_000 } }),
  },
)
const calls = fc.array(call as unknown as fc.Arbitrary<{ tool: string; input: string }>, {
  maxLength: 3,
  size: 'max',
})
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
  maxTurns: fc.integer({ min: 1, max: 6 }),
  maxDepth: fc.constantFrom(0, 1, 2, 2, 3),
  maxConcurrent: fc.integer({ min: 1, max: 3 }),
  maxQueue: fc.constantFrom(1, 200),
})

/** By then it hangs: it takes as long as the machine is busy. */
const LIMIT_MS = 240_000

test.each(stores)(
  'whatever models, tools and people do, every run stops in order (%s store)',
  { timeout: LIMIT_MS },
  async (name, open) => {
    const property = fc.asyncProperty(
      scenario,
      async ({ script, stops, answers, attended, maxTurns, maxDepth, maxConcurrent, maxQueue }) => {
        const store = await open()
        const config = { limits: { maxDepth, maxConcurrent, maxQueue, maxSpawns: 6, stallMs: 300_000 } }
        const agents = [
          agent('main'),
          agent('general'),
          agent('explore', { tools: ['read', 'deaf'], timeoutMs: 200_000 }),
        ]
        const clock = handClock()
        const { model, requests } = scripted(script, clock)
        const h = harness({ store, tools, agents, config, model, clock })
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
        expect(mostRunning(h.told)).toBeLessThanOrEqual(maxConcurrent)
        if (stops.length === 0) expect(unread(store, conversationId)).toEqual([])
        expect(requests.flatMap(({ options }) => refusals(options.prompt))).toEqual([])
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
      if (answer) void bestEffort(runtime.approvals.answer(id, { answer, by: 'person' }))
    }
    clock.after(7_000, look)
  }
  look()
  return () => void (ended = true)
}

/** The scripted model, but that `#n` in an input is the n-th subagent that its agent was told of. */
function scripted(script: Readonly<Record<string, Entry[]>>, clock: HandClock) {
  const inner = createScriptedModel({ agents: script }, { clock })
  const { info } = rawModel(() => [])
  const asked = createModel(inner, info, { now: clock.now })
  const model: Model = {
    info,
    stream: async (request) => readable(await asked.stream(request)).pipeThrough(withIds(request)),
  }
  return { model, requests: inner.requests }
}

function withIds({ messages }: ModelRequest) {
  const ids = [...new Set(JSON.stringify(messages).match(/brn_[0-9A-Z]{26}/g))]
  return new TransformStream<ModelPart, ModelPart>({
    transform(part, controller) {
      const input = (text: string) => text.replace(/#(\d)/, (name, n: string) => ids[Number(n)] ?? name)
      controller.enqueue(part.type === 'tool-call' ? { ...part, input: input(part.input) } : part)
    },
  })
}

/** Branches that could have read what waits for them, and have not. */
function unread(store: Reader, conversationId: ConversationId): string[] {
  const branches = store.find('branches', { where: { conversationId } })
  const runs = store.find('runs', { where: { conversationId }, orderBy: 'id' })
  const latest = (id: string) => runs.findLast((run) => run.branchId === id)!
  const isCancelled = (id: string | null): boolean =>
    id !== null &&
    (latest(id).status === 'cancelled' ||
      isCancelled(branches.find((each) => each.id === id)!.parentBranchId))
  return store
    .find('inbox', { where: { conversationId, deliveredAt: null } })
    .filter(({ branchId }) => isFinal(latest(branchId).status) && !isCancelled(branchId))
    .map(({ branchId, kind }) => `a ${kind} waits for ${latest(branchId).agent}`)
}
