import { sleep } from '../../src/core/clock.ts'
import { ProviderError } from '../../src/core/errors.ts'
import { textOf } from '../../src/core/message.ts'
import type { Model, ModelPart, ModelRequest } from '../../src/model/port.ts'
import { free } from '../../src/model/cost-of-usage.ts'
import { finish, said } from '../support/runtime-harness.ts'
import type { Random } from './random.ts'
import type { SimProcess } from './process.ts'
import { CAP, cappedEnd, spoken } from './traits.ts'
import type { World } from './world.ts'

type Call = readonly [tool: string, input: object]

/** A model that plays whatever part chance gives it, and has its troubles: it stalls, is cut, refuses, repeats itself. */
export function modelOf(world: World, process: SimProcess): Model {
  const random = world.random(`model of ${process.name}`)
  const { plan } = world
  return {
    info: {
      id: 'scripted',
      provider: 'scripted',
      label: 'scripted',
      window: null,
      maxOutput: null,
      price: plan.budgetUsd === null ? free : PRICE,
    },
    async stream(request) {
      world.watch.asked(process, request)
      await sleep(process.clock, random.between(0, plan.paceMs), request.signal)
      const trouble = !world.isCalm && random.chance(plan.model.trouble) ? random.pick(TROUBLES) : undefined
      if (trouble) world.count(`model ${trouble}`)
      if (trouble === '429')
        throw new ProviderError('too many', { retryable: true, status: 429, retryAfterMs: 700 })
      const parts = answer(world, random, request, trouble)
      return { getReader: () => readerOf(process, random, plan.paceMs, parts, request.signal, trouble) }
    },
  }
}

/** An answer costs about four cents, where answers cost anything. */
const PRICE = { input: 100, output: 200, cacheRead: 0, cacheWrite: 0 }
const OUTPUT_TOKENS = 200

const TROUBLES = ['429', 'stalls', 'is cut', 'breaks', 'repeats', 'is empty'] as const

type Trouble = (typeof TROUBLES)[number]

function readerOf(
  { clock }: SimProcess,
  random: Random,
  paceMs: number,
  parts: readonly ModelPart[],
  signal: AbortSignal,
  trouble: Trouble | undefined,
) {
  const ends =
    trouble === 'stalls' || trouble === 'is cut' || trouble === 'breaks'
      ? random.between(0, parts.length - 1)
      : Infinity
  let at = 0
  let cancel = (_reason: unknown) => {}
  const cancelled = new Promise<never>((_, reject) => (cancel = reject))
  cancelled.catch(() => {})
  return {
    async read() {
      if (at === 0 || random.chance(0.3))
        await Promise.race([sleep(clock, random.between(0, paceMs), signal), cancelled])
      if (at === ends) {
        if (trouble === 'stalls') await cancelled
        if (trouble === 'breaks') throw new ProviderError('the connection broke', { retryable: true })
        return { done: true } as const
      }
      const value = parts[at++]
      return value ? ({ done: false, value } as const) : ({ done: true } as const)
    },
    cancel: async (reason?: unknown) => cancel(reason ?? new Error('cancelled')),
  }
}

function answer(
  world: World,
  random: Random,
  request: ModelRequest,
  trouble: Trouble | undefined,
): ModelPart[] {
  const word = trouble === 'is empty' ? '' : world.token('say')
  const text =
    word && isTyped(request) && random.chance(0.7)
      ? JSON.stringify({ score: 3, why: word })
      : word && spoken(world.traits, word)
  const calls = trouble === 'repeats' ? repeated(world, request) : callsOf(world, random, request)
  const asked = calls.map(([toolName, input], at) => {
    return { type: 'tool-call', toolCallId: `c${at}`, toolName, input: JSON.stringify(input) }
  })
  return [
    ...(text ? said(text) : []),
    ...asked,
    ending(world, request, asked.length > 0 ? 'tool-calls' : 'stop'),
  ] as ModelPart[]
}

/** The same as in the turn before; but what it says to others has a word of its own, by which the checker knows it. */
function repeated(world: World, { messages, toolChoice }: ModelRequest): Call[] {
  if (toolChoice === 'none') return []
  const last = messages.findLast(({ role }) => role === 'assistant')
  const calls = last?.parts.flatMap((part) =>
    part.type === 'tool-call' ? [[part.tool, saidAnew(world, part.input)] as const] : [],
  )
  return calls?.length ? calls : [['look', {}]]
}

function saidAnew(world: World, input: unknown): object {
  const text = JSON.stringify(input).replace(/told#\d+\./g, () => world.token('told'))
  return JSON.parse(text) as object
}

/** An agent has less to do with every turn, and the deeper it is. */
function callsOf(world: World, random: Random, request: ModelRequest): Call[] {
  const { depth, messages, tools, toolChoice } = request
  const turns = messages.filter(({ role }) => role === 'assistant').length
  if (isSmallTalk(messages) && random.chance(0.6)) return []
  if (toolChoice === 'none' || turns > 5 || random.chance(turns * 0.25 + depth * 0.1)) return []
  const mayDelegate = tools.some(({ name }) => name === 'task')
  const { features } = world.plan
  if (features.has('nested mail') && turns === 0) return nestedCalls(world, random, request)
  const isTypedWorld = features.has('typed')
  return Array.from({ length: random.between(1, world.plan.width) }, (): Call => {
    if (mayDelegate && isTypedWorld && random.chance(0.3)) return typedDelegation(random)
    if (mayDelegate && random.chance(0.45)) return delegation(world, random, messages)
    if (world.plan.poison && random.chance(0.03)) return ['poison', {}]
    return [random.pick(['look', 'put', 'append', 'append', 'sign']), { n: random.between(1, 1_000) }]
  })
}

function ending({ plan, traits }: World, request: ModelRequest, unified: string) {
  if (traits.has('caps')) return cappedEnd(unified, request)
  const { usage, ...end } = finish(unified)
  const isCounted = plan.budgetUsd !== null || plan.maxTokens !== undefined
  const outputTokens = { total: OUTPUT_TOKENS, text: OUTPUT_TOKENS, reasoning: 0 }
  return { ...end, usage: isCounted ? { ...usage, outputTokens } : usage }
}

/** What people say meanwhile makes less work than what they begin with. */
function isSmallTalk(messages: ModelRequest['messages']): boolean {
  const last = messages.at(-1)
  return last?.role === 'user' && /^(?:hear|instead) /.test(textOf(last.parts))
}

/** Whether its report has to satisfy a schema. */
function isTyped({ agent, messages }: ModelRequest): boolean {
  if (agent === 'rater') return true
  return messages.some(({ role, parts }) => role === 'user' && textOf(parts).includes(AS_JSON))
}

/** Two that are given up. */
const MOST_POISON = 6

const AS_JSON = 'as JSON'
const RATING = { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] }

function typedDelegation(random: Random): Call {
  const kind = random.next()
  if (kind < 0.5) return ['rate', { what: 'it' }]
  if (kind < 0.75) return ['task', { prompt: 'rate it', subagent_type: 'rater', run_in_background: true }]
  return ['task', { prompt: `do it ${AS_JSON}`, subagent_type: 'general', output_schema: RATING }]
}

/** A subagent of a subagent that ends its process until it is given up; what is above waits for it. */
function nestedCalls({ tally }: World, random: Random, { depth }: ModelRequest): Call[] {
  const isPoisoned = (tally['poison'] ?? 0) < MOST_POISON && random.chance(0.8)
  if (depth >= 2) return [isPoisoned ? ['poison', {}] : ['append', { n: 1 }]]
  return [['task', { prompt: 'do a part', subagent_type: 'general', run_in_background: random.chance(0.2) }]]
}

function delegation(world: World, random: Random, messages: ModelRequest['messages']): Call {
  const ids = messages.flatMap(({ parts }) =>
    parts.flatMap(
      (part) => (part.type === 'tool-result' ? part.output.text : textOf([part])).match(ID) ?? [],
    ),
  )
  const known = ids.at(-1)
  const kind = random.next()
  if (known && kind < 0.08) return ['task_cancel', { task_id: known }]
  if (known && kind < 0.18)
    return ['task_message', { task_id: known, message: `listen ${world.token('told')}` }]
  if (known && kind < 0.24) return ['task_status', { task_id: known }]
  if (known && kind < 0.34)
    return ['task', { prompt: `go on ${world.token('told')}`, continue: known, subagent_type: 'worker' }]
  const run_in_background = random.chance(0.4)
  return [
    'task',
    {
      prompt: 'do a part',
      subagent_type: random.pick(['worker', 'general']),
      run_in_background,
      ...(world.traits.has('caps') ? { max_tokens: CAP } : {}),
    },
  ]
}

const ID = /brn_[0-9A-Z]{26}/g
