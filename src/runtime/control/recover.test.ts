import type { UnknownCall } from '../run/recovered-run.ts'
import { describe, expect, test, vi } from 'vitest'
import { actor, type Part } from '../../../test/support/actor.ts'
import { conversationProblems, expectEvents } from '../../../test/support/conversation-problems.ts'
import { beginsAfterMs, cutStore, type CutStore } from '../../../test/support/cut-store.ts'
import {
  agent,
  handClock,
  harness,
  tool,
  type HarnessOptions,
} from '../../../test/support/runtime-harness.ts'
import { foreground, slow, spawn, use } from '../../../test/support/stage.ts'
import { state } from '../../core/run-status.ts'
import type { AnyTool } from '../../tools/port.ts'
import { readMessages } from '../run/messages.ts'
import { leftConversations } from './recover.ts'

const never = () => new Promise<never>(() => {})
const read = tool('read')
/** Has an effect, and does not end before its process does. */
const write = tool('write', {
  effects: 'write',
  idempotent: false,
  title: () => 'Write notes',
  execute: never,
})
const allowAll = [{ name: 'all', rules: [{ tool: '*', action: 'allow' as const }] }]
const askWrites = [{ name: 'user', rules: [{ tool: 'write', action: 'ask' as const }] }]

interface Life {
  readonly parts: Readonly<Record<string, readonly Part[]>>
  readonly tools?: readonly AnyTool[]
  readonly more?: HarnessOptions
}

/** A process: its agents play these parts from their first turn in it on. */
function live(store: CutStore, { parts, tools = [read, write], more }: Life) {
  const clock = handClock(beginsAfterMs(store))
  const cast = actor(clock, parts)
  const agents = ['main', 'general', 'a', 'b'].map((name) => agent(name))
  const h = harness({ clock, model: cast.model, agents, tools, layers: allowAll, ...more, store })
  return { ...h, store, actor: cast }
}

/** What the process leaves that dies when nothing more happens in it. */
async function died(life: Life, prompt = 'go') {
  const h = live(cutStore(), life)
  const { conversationId } = await h.start(prompt)
  await h.clock.settle()
  return { store: await h.store.cut(h.store.commits), conversationId }
}

function runs({ store }: { readonly store: CutStore }) {
  return store.find('runs', {}).map(({ agent, status, reason, attempt }) => [agent, status, reason, attempt])
}

function expectOrder(h: ReturnType<typeof live>): void {
  h.flush()
  const { id } = h.store.find('conversations', {})[0]!
  expectEvents(h.store, id, h.told)
  expect(conversationProblems(h.store, id)).toEqual([])
}

test('a call with an effect is not run again: model and person are told that it is not known', async () => {
  const { store } = await died({ parts: { main: [{ calls: [use('write')] }] } })
  const h = live(store, { parts: { main: [{ text: 'I have checked' }] } })
  const { runs: recovered } = await h.recover()
  expect(recovered).toMatchObject([
    {
      status: 'running',
      became: 'queued',
      unknown: [{ began: '`Write notes` was started at 08:00:00 UTC (2027-01-15); its result is unknown' }],
    },
  ])
  expect(runs(h)).toEqual([['main', 'completed', null, 2]])
  expect(h.actor.seen.map(({ last }) => last)).toEqual([
    'this call was interrupted; its effect is unknown; check before you repeat it: `Write notes` was started at 08:00:00 UTC (2027-01-15); its result is unknown',
  ])
  expect(store.find('tool_calls', {})).toMatchObject([{ status: 'unknown', error: { code: 'unknown' } }])
  expectOrder(h)
  expect(h.told.map(({ type }) => type)).toContain('tool.unknown')
})

test('of what had paused with the run that is recovered it is told too which effects are not known', async () => {
  const { store } = await died({
    parts: { main: [{ calls: [foreground('a')] }], a: [{ calls: [use('write')] }] },
  })
  const { id } = store.find('runs', { where: { agent: 'a' } })[0]!
  const paused = { ...state.paused('parent'), stopNo: 1, endedAt: 1 }
  await store.tx((tx) => tx.update('runs', id, paused), { durable: true })
  const h = live(store, { parts: { a: [{ text: 'I have checked' }], main: [{ text: 'end' }] } })
  const { runs: recovered } = await h.recover()
  expect(
    recovered.map(({ run, status, unknown }) => [run.row.agent, status, unknown.map(({ began }) => began)]),
  ).toEqual([
    ['main', 'waiting', []],
    ['a', 'paused', ['`Write notes` was started at 08:00:00 UTC (2027-01-15); its result is unknown']],
  ])
  expectOrder(h)
})

test('what a call left beside its effect is removed, whether it runs again or not', async () => {
  const cleaned: unknown[] = []
  const cleanUp = async (input: object, { run }: { run: { callId: string } }) =>
    void cleaned.push([input, run.callId])
  const edit = tool('edit', { effects: 'write', idempotent: false, execute: never, cleanUp })
  const parts = { main: [{ calls: [['edit', { file_path: 'a' }] as const] }] }
  const { store } = await died({ parts, tools: [edit] })
  const h = live(store, { parts: {}, tools: [edit] })
  await h.recover({ policy: 'pause' })
  const callId = h.store.find('tool_calls', {})[0]!.id
  expect(cleaned).toEqual([[{ file_path: 'a' }, callId]])
  expectOrder(h)
})

test.each(['pause', 'interrupt', 'cancel'] as const)(
  'and so it is by a %s of what a process left',
  async (verb) => {
    const cleanUp = vi.fn(async () => {})
    const edit = tool('edit', { effects: 'write', idempotent: false, execute: never, cleanUp })
    const { store, conversationId } = await died({
      parts: { main: [{ calls: [use('edit')] }] },
      tools: [edit],
    })
    const h = live(store, { parts: {}, tools: [edit] })
    const target = store.find('runs', {})[0]!.id
    await h.clock.until(h.perform(conversationId, { verb, target, args: null }))
    expect(cleanUp).toHaveBeenCalledOnce()
  },
)

test('a call that only reads runs again, and its request is not made again', async () => {
  const { store } = await died({
    parts: { main: [{ text: 'I look.', calls: [use('read')] }] },
    tools: [tool('read', { execute: never })],
  })
  const h = live(store, { parts: { main: [{ text: 'read it' }] } })
  await h.recover()
  expect(h.actor.seen.map(({ last }) => last)).toEqual(['read done'])
  expect(runs(h)).toEqual([['main', 'completed', null, 2]])
  expectOrder(h)
})

test('text that was streaming is kept for people, and the request is made again', async () => {
  const h = live(cutStore(), { parts: { main: [slow('never')] } })
  const { branchId } = await h.start('go')
  await h.clock.settle()
  const store = await h.store.cut(h.store.commits)
  const message = { ...store.find('messages', { where: { branchId } }).at(-1)!, id: 'msg_x' as never }
  const part = { id: 'prt_x' as never, type: 'text', text: 'half a sen' } as const
  const { conversationId } = message
  await store.tx(
    (tx) => {
      const runId = tx.find('runs', {})[0]!.id
      tx.insert('messages', { ...message, position: 2, role: 'assistant', state: 'streaming', runId })
      tx.insert('parts', { id: part.id, messageId: message.id, conversationId, position: 0, part })
    },
    { durable: true },
  )
  const second = live(store, { parts: { main: [{ text: 'the whole sentence' }] } })
  await second.recover()
  expect(second.actor.seen).toMatchObject([{ last: 'go' }])
  const texts = readMessages(store, branchId).map(({ role, state, parts }) => [role, state, parts.at(-1)])
  expect(texts.slice(2)).toMatchObject([
    ['assistant', 'interrupted', { text: 'half a sen' }],
    ['assistant', 'complete', { text: 'the whole sentence' }],
  ])
})

describe('a call that waited for a person', () => {
  const asking: Life = { parts: { main: [{ calls: [use('write')] }] }, more: { layers: askWrites } }
  const quick = tool('write', { effects: 'write', idempotent: false, execute: () => 'written' })
  const later: Life = { ...asking, parts: { main: [{ text: 'done' }] }, tools: [quick] }

  async function asked() {
    const h = live(cutStore(), asking)
    h.runtime.approvals.attend()
    await h.start('go')
    await h.clock.settle()
    const store = await h.store.cut(h.store.commits)
    return { store, id: store.find('approvals', {})[0]!.id }
  }

  test('is asked again under the same id, though nobody attends', async () => {
    const { store, id } = await asked()
    const h = live(store, later)
    await h.recover()
    expect(runs(h)).toEqual([['main', 'waiting', 'approval', 1]])
    h.flush()
    expect(h.told.find(({ type }) => type === 'approval.requested')).toMatchObject({ approvalId: id })
    await h.runtime.approvals.answer(id, { answer: 'once', by: 'me' })
    await h.clock.settle()
    expect(runs(h)).toEqual([['main', 'completed', null, 1]])
    expect(h.actor.seen.map(({ last }) => last)).toEqual(['written'])
    expect(store.find('approvals', {})).toHaveLength(1)
    expectOrder(h)
  })

  test.each([
    ['once', 'written'],
    ['deny', 'denied by User (me): no'],
  ] as const)('has the answer that came meanwhile: %s', async (answer, said) => {
    const { store, id } = await asked()
    const h = live(store, later)
    await h.runtime.approvals.answer(id, { answer, by: 'me', note: 'no' })
    await h.recover()
    expect(h.actor.seen.map(({ last }) => last)).toEqual([said])
    expectOrder(h)
  })

  test.each([
    ['allow', 'written'],
    ['deny', /^denied/],
  ] as const)('is not asked where the rules of today %s it', async (action, said) => {
    const { store } = await asked()
    const layers = [{ name: 'user', rules: [{ tool: 'write', action }] }]
    const h = live(store, { ...later, more: { layers } })
    await h.recover()
    expect(h.actor.seen[0]!.last).toMatch(said)
    expect(store.find('approvals', {})).toMatchObject([{ answeredBy: 'rules' }])
    expectOrder(h)
  })

  test('counts as no attempt that failed, however often it is taken up', async () => {
    let { store } = await asked()
    for (let times = 0; times < 5; times++) {
      const h = live(store, later)
      await h.recover()
      expect(runs(h)).toEqual([['main', 'waiting', 'approval', 1]])
      store = await store.cut(store.commits)
    }
  })
})

describe('a run that takes its process down', () => {
  const crashing: Life = {
    parts: { main: [{ calls: [foreground('a')] }], a: [slow('never'), slow('never')] },
  }

  async function crash(store: CutStore) {
    const h = live(store, { parts: { a: [slow('never'), slow('never')] } })
    await h.clock.until(h.runtime.recover(where(h)))
    await h.clock.settle()
    return await h.store.cut(h.store.commits)
  }

  test('is given up after three attempts, and its parent reads why', async () => {
    let { store } = await died(crashing)
    store = await crash(await crash(store))
    expect(runs({ store })).toEqual([
      ['main', 'waiting', 'children', 1],
      ['a', 'running', null, 3],
    ])
    const h = live(store, { parts: { main: [{ text: 'without a then' }] } })
    const { runs: recovered } = await h.recover()
    expect(recovered.map(({ became }) => became)).toEqual(['queued', 'failed'])
    expect(runs(h)).toEqual([
      ['main', 'completed', null, 1],
      ['a', 'failed', null, 3],
    ])
    expect(h.actor.seen[0]!.last).toMatch(/status="failed"[^]*its process exited 3 times while it ran/)
    expectOrder(h)
  })

  test.each([
    ['of a write once it is cut', write, [1, 2, 3]],
    ['of a read once that is not run again', tool('read', { execute: never }), [3]],
  ])('and people are told before it is stored that an effect is not known: %s', async (_, own, times) => {
    const parts = { main: [{ calls: [foreground('a')] }], a: [{ calls: [use(own.name)] }] }
    let { store } = await died({ parts, tools: [own] })
    const told: unknown[] = []
    for (const time of [1, 2, 3]) {
      const tellUnknown = async (calls: readonly UnknownCall[]) => {
        const { status } = store.get('tool_calls', calls[0]!.id)!
        told.push([time, calls.length, status])
      }
      const later = { main: [slow('never')], a: [slow('never')] }
      const h = live(store, { parts: later, tools: [own], more: { tellUnknown } })
      await h.clock.until(h.runtime.recover(where(h)))
      await h.clock.settle()
      store = await h.store.cut(h.store.commits)
    }
    expect(told).toEqual(times.map((time) => [time, 1, time === times[0] ? 'running' : 'unknown']))
  })

  test('is tried three times more when a person continues it', async () => {
    let { store } = await died(crashing)
    store = await crash(await crash(store))
    const paused = live(store, { parts: {} })
    await paused.recover({ policy: 'pause' })
    expect(runs(paused)).toEqual([
      ['main', 'paused', 'restart', 1],
      ['a', 'paused', 'restart', 3],
    ])
    const h = live(await store.cut(store.commits), {
      parts: { a: [{ text: 'at last' }], main: [{ text: 'good' }] },
    })
    const { started } = await h.continue(h.store.find('conversations', {})[0]!.id)
    expect(await h.clock.until(started!.result)).toMatchObject({ status: 'completed', text: 'good' })
    expect(runs(h)).toEqual([
      ['main', 'completed', null, 1],
      ['a', 'completed', null, 1],
    ])
    expectOrder(h)
  })
})

test('a nested run that is given up with unread mail is followed by one run that reads it', async () => {
  const config = { limits: { maxDepth: 3 } }
  let written = 0
  const execute = () => `written ${++written}`
  const tools = [read, tool('write', { effects: 'write', idempotent: false, execute })]
  const down = {
    parts: {
      main: [{ calls: [foreground('general')] }],
      general: [{ calls: [foreground('b')] }],
      b: [slow('never'), slow('never')],
    },
    tools,
    more: { config },
  }
  const first = await died(down)
  const { conversationId } = first
  let { store } = first
  for (let crash = 0; crash < 2; crash++) {
    const h = live(store, down)
    await h.clock.until(h.runtime.recover(where(h)))
    await h.clock.settle()
    const target = h.store.find('runs', { where: { agent: 'b' } })[0]!.id
    const args = { text: `steered ${crash}` }
    await h.clock.until(h.perform(conversationId, { verb: 'steer', target, args }))
    store = await h.store.cut(h.store.commits)
  }
  const parts = {
    main: [{ text: 'main is done' }],
    general: [{ text: 'general is done' }],
    b: [{ calls: [use('write')] }, { text: 'read both' }, { text: 'nothing more' }],
  }
  const h = live(store, { ...down, parts })
  await h.recover()
  expect(h.store.find('runs', { where: { agent: 'b' } }).map(({ status }) => status)).toEqual([
    'failed',
    'completed',
  ])
  expect(written).toBe(1)
  expect(h.actor.of('b').map(({ last }) => last)).toEqual(['steered 1', 'written 1'])
  const { branchId } = h.store.find('runs', { where: { agent: 'b' } })[0]!
  const said = readMessages(h.store, branchId).flatMap(({ role, parts }) => (role === 'user' ? parts : []))
  expect(said.slice(1)).toMatchObject([{ text: 'steered 0' }, { text: 'steered 1' }])
  expect(h.store.find('messages', { where: { state: 'streaming' } })).toEqual([])
  expectOrder(h)
})

function where(h: ReturnType<typeof live>) {
  const root = h.store.find('conversations', {})[0]!.directory
  const resolve = (path: string) => ({
    absolute: `${root}/${path}`,
    relative: path,
    outside: false,
    guarded: null,
  })
  return { workspace: { root, resolve }, systemText: () => '' }
}

/** What is left of a main run that had ended when its subagent reported, and had not read that yet. */
async function idle() {
  const first = live(cutStore(), {
    parts: { main: [{ calls: [spawn('a')] }, { text: 'later' }], a: [slow('late news', 100)] },
  })
  const { conversationId, branchId } = await first.run('go')
  let store = first.store
  for (let { commits } = store; store.find('inbox', { where: { deliveredAt: null } }).length === 0; commits--)
    store = await first.store.cut(commits)
  return { store, conversationId, branchId }
}

test('a main run that was idle reads the results that were waiting for it', async () => {
  const { store } = await idle()
  expect(store.find('runs', {}).map(({ status }) => status)).toEqual(['completed', 'completed'])
  const h = live(store, { parts: { main: [{ text: 'so that is it' }] } })
  const { runs: recovered } = await h.recover()
  expect(recovered).toEqual([])
  expect(h.actor.seen).toMatchObject([{ agent: 'main', last: expect.stringMatching(/late news/) as string }])
  expectOrder(h)
})

test('runs that were queued keep their order', async () => {
  const parts = { main: [{ calls: ['a', 'b', 'general'].map((name) => foreground(name)) }], a: [slow('a')] }
  const config = { limits: { maxConcurrent: 1 } }
  const { store } = await died({ parts, more: { config } })
  const h = live(store, { parts: {}, more: { config } })
  await h.recover()
  expect(h.actor.seen.map((each) => each.agent)).toEqual(['a', 'b', 'general', 'main'])
  expectOrder(h)
})

test('what would be taken up can be seen without taking it', async () => {
  const { store } = await died({ parts: { main: [{ calls: [foreground('a')] }], a: [slow('never')] } })
  const h = live(store, { parts: {} })
  const { commits } = store
  expect(h.runtime.left.directories()).toEqual(['/w'])
  expect(h.runtime.left.conversations()).toHaveLength(1)
  expect(store.commits).toBe(commits)
})

test('a message to a conversation whose process died is read after what that left', async () => {
  const { store, conversationId } = await died({
    parts: { main: [{ calls: [foreground('a')] }], a: [slow('never')] },
  })
  const h = live(store, { parts: { main: [{ text: 'the first' }, { text: 'the second' }] } })
  const started = await h.start('and now?', { conversationId })
  expect(started.recovered.map(({ became }) => became)).toEqual(['queued', 'queued'])
  expect(await h.clock.until(started.result)).toMatchObject({ status: 'completed', text: 'the second' })
  expect(h.actor.of('main').map(({ last }) => last)).toEqual([
    expect.stringMatching(/^<subagent_report[^]*a done/),
    'and now?',
  ])
  expectOrder(h)
})

test('is done only when nothing goes on without a person', async () => {
  const parts = { main: [{ calls: [foreground('a'), foreground('b')] }], a: [slow('a')], b: [slow('b')] }
  const { store } = await died({ parts })
  const h = live(store, { parts: { a: [slow('ra', 100)], b: [slow('rb', 100)], main: [slow('both', 100)] } })
  const { runs: recovered } = await h.recover()
  expect(recovered).toHaveLength(3)
  expect(runs(h).map(([, status]) => status)).toEqual(['completed', 'completed', 'completed'])
  expectOrder(h)
})

test('is done when all that is left waits for a subagent that a person has paused', async () => {
  const first = live(cutStore(), { parts: { main: [{ calls: [foreground('a')] }], a: [slow('never')] } })
  const { conversationId } = await first.start('go')
  await first.clock.settle()
  const child = first.store.find('runs', { where: { agent: 'a' } })[0]!
  await first.clock.until(first.perform(conversationId, { verb: 'interrupt', target: child.id, args: null }))
  const h = live(await first.store.cut(first.store.commits), { parts: {} })
  await h.recover()
  expect(runs(h)).toEqual([
    ['main', 'waiting', 'children', 1],
    ['a', 'paused', 'user', 1],
  ])
})

test('what was withdrawn from an inbox is nothing to take up', async () => {
  const { store, conversationId, branchId } = await idle()
  const h = live(store, { parts: {} })
  expect(h.runtime.left.directories()).toEqual(['/w'])
  const args = { item: store.find('inbox', {})[0]!.id }
  await h.clock.until(h.perform(conversationId, { verb: 'inbox.withdraw', target: branchId, args }))
  expect(h.runtime.left.directories()).toEqual([])
})

test('a subagent that was moved to the background reports once, to the inbox, after a crash too', async () => {
  const main = [{ calls: [foreground('a')] }, slow('still at it', 90_000)]
  const first = live(cutStore(), { parts: { main, a: [slow('never', 80_000)] } })
  const { conversationId } = await first.start('go')
  await first.clock.settle()
  const child = first.store.find('runs', { where: { agent: 'a' } })[0]!
  const command = { verb: 'background', target: child.id, args: null } as const
  await first.clock.until(first.perform(conversationId, command))
  await first.clock.settle()
  const parts = { main: [{ text: 'on I go' }, { text: 'there it is' }], a: [{ text: 'late news' }] }
  const h = live(await first.store.cut(first.store.commits), { parts })
  await h.recover()
  expect(runs(h).map(([agent, status]) => `${agent} ${status}`)).toEqual([
    'main completed',
    'a completed',
    'main completed',
  ])
  expect(h.store.find('inbox', {}).map(({ fromRunId }) => fromRunId)).toEqual([child.id])
  expect(h.actor.of('main').at(-1)!.last).toContain('late news')
  expectOrder(h)
})

test('what was to pause when its process ended is paused, with what it waited for, and can be continued', async () => {
  const parts = { main: [{ calls: [foreground('a'), spawn('b')] }], a: [slow('never')], b: [slow('never')] }
  const first = live(cutStore(), { parts })
  const { conversationId, runId } = await first.start('go')
  await first.clock.settle()
  const command = { verb: 'pause', target: runId, args: null } as const
  expect(await first.clock.until(first.perform(conversationId, command))).toEqual({ runs: 2, paused: 0 })
  const left = { main: [{ text: 'end' }, { text: 'b too' }], a: [{ text: 'a' }], b: [{ text: 'b' }] }
  const h = live(await first.store.cut(first.store.commits), { parts: left })
  const { runs: recovered } = await h.recover()
  expect(recovered.map(({ became }) => became)).toEqual(['paused', 'paused', 'queued'])
  expect(runs(h).map(([agent, status, reason]) => `${agent} ${status} ${reason}`)).toEqual([
    'main paused user',
    'a paused parent',
    'b completed null',
  ])
  const { started } = await h.continue(runId)
  await h.clock.until(started!.result)
  expect(runs(h).map(([, status]) => status)).toEqual(['completed', 'completed', 'completed', 'completed'])
  expectOrder(h)
})

test('what a stop that was cut had paused already goes on with the run above it', async () => {
  const parts = { main: [{ calls: [foreground('a')] }], a: [slow('never')] }
  const first = live(cutStore(), { parts })
  const started = await first.start('go')
  await first.clock.settle()
  const before = first.store.commits
  started.stop('pause')
  await first.clock.until(started.result)
  const cuts = []
  for (let commits = before + 1; commits < first.store.commits; commits++) {
    const store = await first.store.cut(commits)
    const statuses = store.find('runs', {}).map(({ status }) => status)
    if (statuses.join() === 'waiting,paused') cuts.push(store)
  }
  expect(cuts.length).toBeGreaterThan(0)
  for (const store of cuts) {
    const h = live(store, { parts: { main: [{ text: 'end' }], a: [{ text: 'at last' }] } })
    await h.recover()
    expect(runs(h).map(([, status]) => status)).toEqual(['completed', 'completed'])
    expectOrder(h)
  }
})

test('a run whose agent is defined in another program alone stays for that program', async () => {
  const parts = { main: [{ calls: [foreground('a')] }, { text: 'end' }], a: [slow('never')] }
  const { store } = await died({ parts })
  const elsewhere = live(store, { parts: {}, more: { agents: [agent('main')] } })
  await elsewhere.recover()
  expect(runs(elsewhere)).toEqual([
    ['main', 'waiting', 'children', 1],
    ['a', 'paused', 'restart', 1],
  ])
  const note = 'not resumed here: the agent "a" of this branch is not defined here'
  expect(store.find('runs', { where: { agent: 'a' } })[0]).toMatchObject({ reportNote: note })
  const h = live(await store.cut(store.commits), {
    parts: { main: [{ text: 'end' }], a: [{ text: 'it is' }] },
  })
  const child = store.find('runs', { where: { agent: 'a' } })[0]!
  const { started } = await h.continue(child.branchId)
  await h.clock.until(started!.result)
  expect(runs(h).map(([, status]) => status)).toEqual(['completed', 'completed'])
})

describe('a run with tools of a program', () => {
  const own = tool('stock', { isOwn: true, execute: never })
  const parts = { main: [{ calls: [use('stock')] }, { text: 'end' }] }
  const note = expect.stringMatching(
    /^not resumed here: Tool "stock" is not registered in this process\. .*chat\(.*continue\('brn_/,
  ) as string

  test('is paused by a process that lacks them, which tells its model nothing', async () => {
    const { store } = await died({ parts, tools: [own] })
    const h = live(store, { parts })
    const { runs: recovered } = await h.recover()
    expect(recovered).toMatchObject([{ status: 'running', became: 'paused' }])
    expect(runs(h)).toEqual([['main', 'paused', 'restart', 1]])
    expect(store.find('runs', {})[0]).toMatchObject({ reportNote: note })
    expect(h.actor.seen).toEqual([])
    const { branchId } = store.find('runs', {})[0]!
    await expect(h.continue(branchId)).rejects.toMatchObject({
      code: 'conflict',
      message: 'Tool "stock" is not registered in this process',
    })
    expect(runs(h)).toEqual([['main', 'paused', 'restart', 1]])
  })

  test('goes on in a process that has them', async () => {
    const { store } = await died({ parts, tools: [own] })
    const h = live(store, { parts: { main: [{ text: 'end' }] }, tools: [tool('stock', { isOwn: true })] })
    await h.recover()
    expect(runs(h).map(([, status]) => status)).toEqual(['completed'])
  })

  test('of a subagent, stays paused while its parent waits', async () => {
    const { store } = await died({
      parts: { main: [{ calls: [foreground('a')] }], a: [{ calls: [use('stock')] }] },
      tools: [own],
    })
    const h = live(store, { parts: {} })
    await h.recover()
    expect(runs(h).map(([name, status]) => [name, status])).toEqual([
      ['main', 'paused'],
      ['a', 'paused'],
    ])
  })
})

test('a conversation that another process deletes while one looks is not left', async () => {
  const { store } = await died({ parts: { main: [{ calls: [use('write')] }] } })
  expect(leftConversations({ store })).toMatchObject([{ hasOpenRuns: true }])
  const get = ((table: never, key: string) =>
    table === 'conversations' ? undefined : store.get(table, key)) as CutStore['get']
  expect(leftConversations({ store: { ...store, get } })).toEqual([])
})
