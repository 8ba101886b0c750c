import { expect, test } from 'vitest'
import { beginsAfterMs, cutStore, type CutStore } from '../../../test/support/cut-store.ts'
import { handClock, tool } from '../../../test/support/runtime-harness.ts'
import { foreground, slow, spawn, stage, use, type Staged } from '../../../test/support/stage.ts'
import { isFinal } from '../../core/run-status.ts'
import type { AnyTool } from '../../tools/port.ts'

const never = () => new Promise<never>(() => {})
const workspace = {
  root: '/w',
  resolve: (path: string) => ({ absolute: `/w/${path}`, relative: path, outside: false, guarded: null }),
}
const layers = [{ name: 'all', rules: [{ tool: '*', action: 'allow' as const }] }]
/** Has an effect, and takes some time to be cleaned up. */
const write = tool('write', { effects: 'write', idempotent: false, execute: never, cleanUp: () => hop(6) })
const parts = {
  main: [{ calls: [foreground('a'), spawn('b')] }],
  a: [{ calls: [use('write')] }],
  b: [slow('never')],
}
const narrow = { limits: { maxConcurrent: 1 } }

async function hop(times: number): Promise<void> {
  for (let n = 0; n < times; n++) await (n % 3 === 2 ? new Promise((resolve) => setImmediate(resolve)) : null)
}

/** `main` waits for `a`, which writes; `b` is in the queue. */
async function left(tools: readonly AnyTool[] = [write]) {
  const h = stage(parts, { store: cutStore(), tools, layers, config: narrow })
  const { conversationId } = await h.start('go')
  await h.clock.settle()
  const store = h.store as CutStore
  return { store: await store.cut(store.commits), conversationId }
}

const runOf = (h: Staged, agent: string) => h.store.find('runs', { where: { agent } })[0]!

/** How far the first one has come when the other one begins. */
const MOMENTS = [0, 1, 2, 3, 4, 6, 9, 13]

const verbs = ['interrupt', 'pause'] as const
const targets = ['main', 'a', 'b'] as const
const cases = verbs.flatMap((verb) => targets.map((target) => [verb, target] as const))

test.each(cases)(
  '%s of %s, which a process left: what was acknowledged holds, whenever it comes beside a recovery',
  async (verb, agent) => {
    const before = await left()
    const outcomes = new Set<string>()
    for (const first of ['verb', 'recovery'] as const)
      for (const hops of MOMENTS) {
        const store = await before.store.cut(before.store.commits)
        const clock = handClock(beginsAfterMs(store))
        const played = {
          main: [slow('main is done', 20)],
          a: [slow('a is done', 20)],
          b: [slow('b is done', 20)],
        }
        const h = stage(played, { store, tools: [write], layers, config: narrow, hasLeases: true, clock })
        const target = runOf(h, agent).branchId
        const act = {
          verb: () => h.perform(before.conversationId, { verb, target, args: null }),
          recovery: () => h.clock.until(h.runtime.recover({ workspace, systemText: () => '' })),
        }
        const others = { verb: 'recovery', recovery: 'verb' } as const
        const begun = act[first]()
        await hop(hops)
        const both = await Promise.allSettled([begun, act[others[first]]()])
        const performed = both[first === 'verb' ? 0 : 1]
        expect(both[first === 'verb' ? 1 : 0]).toMatchObject({ status: 'fulfilled' })
        await h.clock.advance(100)
        const { status, reason } = runOf(h, agent)
        const moment = `${first} first, ${hops} hops`
        if (performed.status === 'fulfilled') expect([status, reason], moment).toEqual(['paused', 'user'])
        outcomes.add(performed.status)
        const all = before.conversationId
        await h.perform(all, { verb: 'cancel', target: all, args: null }) // nobody waits for what has stopped
        expect(
          h.store.find('runs', {}).every((run) => isFinal(run.status)),
          moment,
        ).toBe(true)
      }
    expect([...outcomes]).toContain('fulfilled')
  },
)

test('a conversation that one has left is driven on by the other one, and a pause reaches it', async () => {
  const reached = new Set<string>()
  for (const hops of Array.from({ length: 40 }, (_, at) => at)) {
    const main = [slow('never'), slow('main is done', 1_000)]
    const h = stage({ main }, { layers, hasLeases: true })
    const { conversationId, branchId: target } = await h.start('go')
    const more = { conversationId, branchId: target, text: 'and', mode: 'follow_up' as const }
    await h.clock.until(h.runtime.sendMessage({ ...more, workspace, systemText: () => '' }))
    const stopped = h.perform(conversationId, { verb: 'interrupt', target, args: null })
    await hop(hops)
    const order = { verb: 'continue', target, args: { text: 'go on' } } as const
    const [, continued] = await Promise.allSettled([stopped, h.perform(conversationId, order)])
    await h.clock.advance(100)
    if (continued.status === 'rejected' || runOf(h, 'main').status !== 'running') continue
    await h.perform(conversationId, { verb: 'interrupt', target, args: null })
    await h.clock.advance(2_000)
    expect(runOf(h, 'main'), `${hops} hops`).toMatchObject({ status: 'paused', reason: 'user' })
    reached.add(continued.value.outcome)
  }
  expect([...reached]).toContain('continued')
})
