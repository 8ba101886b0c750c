import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/exec/system-clock.ts'
import { createFetch, type Fetch } from '../../src/model/fetch.ts'
import { createResolver } from '../../src/model/resolve.ts'
import { startRawServer } from '../support/model-server.ts'
import { harness, tool, type HandClock } from '../support/runtime-harness.ts'

const CHILDREN = 60
const RETRY_AFTER_MS = 100

interface Fact {
  readonly what: 'sent' | 'answered' | 'refused'
  readonly n: number
  /** Milliseconds, on the clock of this process: the server and its client share it. */
  readonly at: number
}

const facts: Fact[] = []
let server: Awaited<ReturnType<typeof startRawServer>>

beforeAll(async () => {
  server = await startRawServer(everyThirdRefused)
})

afterAll(() => server.close())

it('60 subagents of a provider that refuses every third request: all finish, and no refusal is talked over', async () => {
  const env = { OPENAI_BASE_URL: `${server.url}/v1` }
  const resolve = createResolver({ env, fetch: noted(createFetch()), clock: systemClock })
  const h = harness({
    clock: asHandClock,
    resolveModel: () => resolve('openai-compatible/any'),
    tools: [tool('read')],
    config: { limits: { maxConcurrent: CHILDREN, globalConcurrent: CHILDREN, maxSpawns: CHILDREN } },
  })
  const { result } = await h.start('Go.')
  expect(await result).toMatchObject({ status: 'completed', text: 'done' })
  const children = h.store.find('runs', { where: { depth: 1 } })
  expect(children.map(({ status, reportNote }) => [status, reportNote])).toEqual(
    Array.from({ length: CHILDREN }, () => ['completed', null]),
  )

  const refusals = facts.filter(({ what }) => what === 'refused')
  // two requests of each child and two of the main agent have an answer, and every third request none
  const answered = 2 * CHILDREN + 2
  expect(facts.filter(({ what }) => what === 'answered')).toHaveLength(answered)
  expect(refusals).toHaveLength(Math.floor((answered - 1) / 2))
  for (const refused of refusals) {
    const early = sentAfter(refused).filter(({ at }) => at < refused.at + RETRY_AFTER_MS)
    expect(early, `after the refusal of ${refused.n}`).toEqual([])
  }
  for (const probe of probes()) {
    const next = sentAfter(probe)[0]
    const end = facts.findIndex(({ what, n }) => n === probe.n && (what === 'answered' || what === 'refused'))
    if (next) expect(facts.indexOf(next), `beside the probe ${probe.n}`).toBeGreaterThan(end)
  }
})

/** The first request after each refusal, where no other refusal came in between. */
function probes(): Fact[] {
  return facts.filter((fact, at) => {
    if (fact.what !== 'sent') return false
    const before = facts.slice(0, at).findLast(({ what }) => what === 'sent' || what === 'refused')
    return before?.what === 'refused'
  })
}

function sentAfter(fact: Fact): Fact[] {
  return facts.slice(facts.indexOf(fact) + 1).filter(({ what }) => what === 'sent')
}

function note(what: Fact['what'], n: number): void {
  facts.push({ what, n, at: performance.now() })
}

/** Writes down each request before it goes out, and each refusal once the whole of it is here. */
function noted(fetch: Fetch): Fetch {
  let requests = 0
  return async (input, init) => {
    const n = ++requests
    note('sent', n)
    const answer = await fetch(input, {
      ...init,
      headers: { ...(init?.headers as object), 'x-number': `${n}` },
    })
    if (answer.status !== 429) return answer
    await answer.body?.cancel()
    note('refused', n)
    return new Response('{"error":{"message":"slow down"}}', { status: 429, headers: [...answer.headers] })
  }
}

let arrived = 0

async function everyThirdRefused(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const n = Number(request.headers['x-number'])
  const chunks: Buffer[] = await request.toArray()
  if (++arrived % 3 === 0) {
    response.writeHead(429, {
      'content-type': 'application/json',
      'retry-after': `${RETRY_AFTER_MS / 1_000}`,
    })
    return void response.end('{"error":{"message":"slow down"}}')
  }
  const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  note('answered', n)
  response.end(answerTo(messages))
}

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

/** The main agent delegates, each subagent reads, and both are then done. */
function answerTo(messages: ChatRequest['messages']): string {
  const isMain = JSON.stringify(messages[0]).includes('You are main.')
  if (messages.some(({ role }) => role === 'tool')) return events({ content: 'done' }, 'stop')
  const task = (n: number) => ({ prompt: `look at ${n}`, description: `look ${n}`, subagent_type: 'explore' })
  const calls = isMain ? Array.from({ length: CHILDREN }, (_, n) => ['task', task(n)]) : [['read', {}]]
  const tool_calls = calls.map(([name, input], index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  return events({ tool_calls }, 'tool_calls')
}

function events(delta: object, finish_reason: string): string {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 0, model: 'any' }
  const lines = [
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
  ]
  return `${lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join('')}data: [DONE]\n\n`
}

/** Real time: the server's answers do not come by a clock that is moved by hand. */
const asHandClock: HandClock = {
  ...systemClock,
  settle: () => Promise.resolve(),
  advance: () => Promise.resolve(),
  until: (promise) => promise,
  pending: () => 0,
}
