import { describe, expect, test } from 'vitest'
import {
  agent,
  harness,
  tool,
  type Harness,
  type HarnessOptions,
} from '../../test/support/runtime-harness.ts'
import { ProviderError } from '../core/errors.ts'
import { Gate } from '../model/gate.ts'
import type { ScriptInput } from '../model/model-script.ts'
import { throughGate } from './wait-at-gate.ts'

const SECOND = 1_000
const refused = (retryAfter?: number) => ({
  error: { status: 429, ...(retryAfter === undefined ? {} : { retryAfter }) },
})
const task = (subagent_type: string) => ({ tool: 'task', input: { prompt: 'do it', subagent_type } })

/** A main agent with a child of each of these, side by side. */
function family(children: ScriptInput['agents'], options: HarnessOptions = {}): Harness {
  const names = Object.keys(children)
  const main = [{ toolCalls: names.map((name) => task(name)) }, { text: 'all in' }]
  const agents = ['main', ...names].map((name) => agent(name))
  return harness({ script: { main, ...children }, agents, tools: [tool('read')], ...options })
}

const runOf = (h: Harness, name: string) => h.store.find('runs', { where: { agent: name } })[0]!
const asked = (h: Harness) => h.scripted.requests.map((request) => request.agent)

function story(h: Harness, name: string): string[] {
  h.flush()
  return h.told.flatMap((event) =>
    event.type.startsWith('run.') && event.type !== 'run.progress' && 'agent' in event && event.agent === name
      ? [event.type]
      : [],
  )
}

test('what was not refused itself waits too, and says for which provider, why and until when', async () => {
  const h = family({
    a: [refused(30), { text: 'ra' }],
    b: [{ delayMs: 1, toolCalls: [{ tool: 'read', input: {} }] }, { text: 'rb' }],
  })
  const { result } = await h.start('go')
  const since = h.clock.now()
  await h.clock.advance(SECOND)
  for (const name of ['a', 'b']) {
    const { status, reason, waitingFor } = runOf(h, name)
    expect([name, status, reason]).toEqual([name, 'waiting', 'retry'])
    expect(waitingFor).toMatchObject({
      what: 'retry',
      detail: expect.stringMatching(/^scripted is paused: .*429/),
    })
    expect(waitingFor!.until! - since).toBeGreaterThan(30 * SECOND)
    expect(waitingFor!.until! - since).toBeLessThan(34 * SECOND)
  }
  expect(asked(h)).toEqual(['main', 'a', 'b'])
  expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'all in' })
  expect(asked(h)).toEqual(['main', 'a', 'b', 'a', 'b', 'main'])
  expect(runOf(h, 'b').waitingFor).toBeNull()
  expect(story(h, 'b')).toEqual(['run.started', 'run.waiting', 'run.resumed', 'run.completed'])
})

test('what is in flight at a refusal goes on', async () => {
  const h = family({ a: [refused(30), { text: 'ra' }], b: [{ delayMs: 10 * SECOND, text: 'rb' }] })
  const { result } = await h.start('go')
  await h.clock.advance(10 * SECOND)
  expect([runOf(h, 'a').status, runOf(h, 'b').status]).toEqual(['waiting', 'completed'])
  expect(await h.clock.until(result)).toMatchObject({ status: 'completed' })
})

test('a probe that is refused starts the pause anew, and those who wait say the new time', async () => {
  const slow = { delayMs: 1, toolCalls: [{ tool: 'read', input: {} }] }
  const h = family({ a: [refused(10), refused(100), { text: 'ra' }], b: [slow, { text: 'rb' }] })
  const { result } = await h.start('go')
  await h.clock.advance(12 * SECOND)
  expect(asked(h)).toEqual(['main', 'a', 'b', 'a'])
  const { since, until } = runOf(h, 'b').waitingFor!
  expect(h.clock.now() - since).toBeGreaterThan(11 * SECOND)
  expect(until! - h.clock.now()).toBeGreaterThan(98 * SECOND)
  await h.clock.advance(98 * SECOND)
  expect(asked(h)).toHaveLength(4)
  expect(await h.clock.until(result)).toMatchObject({ status: 'completed' })
  const waits = ['run.started', 'run.waiting', 'run.waiting', 'run.resumed', 'run.completed']
  expect(story(h, 'b')).toEqual(waits)
})

test('who waits at the gate keeps its slot', async () => {
  const h = family(
    { a: [refused(30), { text: 'ra' }], b: [{ text: 'rb' }] },
    { config: { limits: { maxConcurrent: 1 } } },
  )
  const { result } = await h.start('go')
  await h.clock.advance(20 * SECOND)
  expect([runOf(h, 'a').status, runOf(h, 'b').status]).toEqual(['waiting', 'queued'])
  expect(await h.clock.until(result)).toMatchObject({ status: 'completed' })
})

describe.each(['interrupt', 'pause', 'cancel'] as const)('%s', (verb) => {
  const stopped = verb === 'cancel' ? 'cancelled' : 'paused'

  test('ends the wait at once, and the next in line is the probe', async () => {
    const h = harness({ script: { main: [refused(30), { text: 'the other' }] } })
    const one = await h.start('one')
    await h.clock.settle()
    const other = await h.start('other')
    await h.clock.settle()
    const [first, second] = [h.store.get('runs', one.runId)!, h.store.get('runs', other.runId)!]
    expect([first.reason, second.reason]).toEqual(['retry', 'retry'])
    const at = h.clock.now()
    await h.perform(one.conversationId, { verb, target: one.runId, args: null })
    expect((await one.result).status).toBe(stopped)
    expect(h.clock.now()).toBe(at)
    expect(await h.clock.until(other.result)).toMatchObject({ status: 'completed', text: 'the other' })
    expect(h.scripted.requests).toHaveLength(2)
    h.flush()
    expect(h.clock.pending()).toBe(0)
  })
})

test('what others spent meanwhile counts before the request is made', async () => {
  const usage = { input: 0, output: 100_000 }
  const h = family(
    { a: [refused(30), { text: 'ra' }], b: [{ delayMs: 10 * SECOND, text: 'rb', usage }] },
    { config: { limits: { maxTokens: 100_000 } } },
  )
  const { result } = await h.start('go')
  await h.clock.until(result)
  expect(asked(h)).toEqual(['main', 'a', 'b'])
  expect(runOf(h, 'a')).toMatchObject({ status: 'paused', turns: 0 })
})

test('a request beside the turns waits its turn, and gives its place up with its signal', async () => {
  const { clock } = harness()
  const gate = new Gate('own', clock, () => 0)
  const error = new ProviderError('slow down', { status: 429, retryable: true, retryAfterMs: 5 * SECOND })
  const never = new AbortController()
  const ask = (signal: AbortSignal, text: string) => throughGate(gate, clock, signal, async () => text)
  await expect(throughGate(gate, clock, never.signal, () => Promise.reject(error))).rejects.toBe(error)
  const impatient = new AbortController()
  const gone = ask(impatient.signal, 'never')
  const patient = ask(never.signal, 'at last')
  impatient.abort(new Error('too late'))
  await expect(gone).rejects.toThrow('too late')
  const at = clock.now()
  expect(await clock.until(patient)).toBe('at last')
  expect(clock.now() - at).toBe(5 * SECOND + 1)
  expect(await ask(never.signal, 'at once')).toBe('at once')
})
