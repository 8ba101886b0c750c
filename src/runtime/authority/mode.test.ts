import { expect, test } from 'vitest'
import { cutStore } from '../../../test/support/cut-store.ts'
import { handClock, harness, tool, type Harness } from '../../../test/support/runtime-harness.ts'
import { MODES, modeLayer, type Mode } from '../../permissions/modes.ts'
import type { Store } from '../../store/port.ts'
import { modeInForce, namedBefore } from './mode.ts'

const write = tool('write', { effects: 'write' })
const writes = { toolCalls: [{ tool: 'write', input: {} }] }
const script = { main: [writes, { text: 'end' }] }

let lives = 0
/** A process that was told a mode, or none: then it is in `ask`. */
function life(store: Store, namedMode?: Mode): Harness {
  const clock = handClock(lives++ * 1_000_000)
  const mode = namedMode ?? 'ask'
  return harness({ store, clock, script, tools: [write], layers: [modeLayer(mode)], namedMode })
}

const last = (store: Store) => {
  const { status, error } = store.find('tool_calls', { orderBy: 'id' }).at(-1)!
  return error?.code ?? status
}

const expected: Readonly<Record<Mode, string>> = {
  plan: 'denied',
  ask: 'unattended',
  'accept-edits': 'completed',
  auto: 'completed',
}

test.each(MODES)(
  'a conversation in mode %s: a wider one has to be named again, a stricter one stays',
  async (mode) => {
    const store = cutStore()
    const { conversationId } = await life(store, mode).run('go')
    expect(last(store)).toBe(expected[mode])
    expect(namedBefore(store, conversationId)).toBe(mode)

    const left = store.commits
    const inForce = mode === 'plan' ? 'plan' : 'ask'
    for (const goOn of [
      async (h: Harness) => h.start('again', { conversationId }),
      async (h: Harness) => (await h.continue(conversationId, { text: 'again' })).started!,
    ]) {
      const copy = await store.cut(left)
      const h = life(copy)
      await h.clock.until((await goOn(h)).result)
      expect(last(copy)).toBe(expected[inForce])
      expect(modeInForce(copy, conversationId, 'ask')).toBe(inForce)
      expect(namedBefore(copy, conversationId)).toBe(mode)
      for (const other of MODES) {
        const next = await copy.cut(copy.commits)
        const named = life(next, other)
        await named.clock.until((await goOn(named)).result)
        expect(last(next), `${mode}, then ${other}`).toBe(expected[other])
        expect(namedBefore(next, conversationId)).toBe(other)
      }
    }
  },
)

test('one that nobody has named is not kept', async () => {
  const store = cutStore()
  const { conversationId } = await life(store).run('go')
  expect(store.get('conversations', conversationId)?.mode ?? null).toBeNull()
})

test('what the store holds and no mode is, is none', async () => {
  const store = cutStore()
  const { conversationId } = await life(store, 'plan').run('go')
  await store.tx((tx) => tx.update('conversations', conversationId, { mode: 'yolo' }), { durable: true })
  expect(namedBefore(store, conversationId)).toBeUndefined()
  expect(modeInForce(store, conversationId, 'ask')).toBe('ask')
})

test('recover keeps it', async () => {
  const store = cutStore()
  const first = life(store, 'plan')
  await first.start('go')
  const { commits } = store
  const left = await store.cut(commits)
  await life(left).recover()
  expect(last(left)).toBe('denied')
  const again = await store.cut(commits)
  await life(again, 'auto').recover()
  expect(last(again)).toBe('completed')
  expect(again.find('conversations', {})).toMatchObject([{ mode: 'auto' }])
})
