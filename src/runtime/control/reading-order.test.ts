import { expect, test } from 'vitest'
import type { BranchId, ConversationId } from '../../core/ids.ts'
import { textOf } from '../../core/message.ts'
import type { Move } from '../../../test/support/actor.ts'
import { tool } from '../../../test/support/runtime-harness.ts'
import { expectOrder, slow, stage, use, type Staged } from '../../../test/support/stage.ts'
import type { InboxRow } from '../../store/port.ts'
import { readMessages } from '../run/messages.ts'

const never = () => new Promise<never>(() => {})
const workspace = {
  root: '/w',
  resolve: (path: string) => ({ absolute: `/w/${path}`, relative: path, outside: false, guarded: null }),
}

/** Sends a message as the HTTP server does. */
async function send(h: Staged, to: Address, text: string, mode: InboxRow['mode'] = 'follow_up') {
  const { conversationId, branchId } = to
  const options = { conversationId, branchId, text, mode, workspace, systemText: () => '' }
  return await h.clock.until(h.runtime.sendMessage(options))
}

interface Address {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
}

/** What people said on a branch, in the order in which it is read. */
function read({ store }: Staged, { branchId }: Address): string[] {
  return readMessages(store, branchId)
    .filter(({ role, runId }) => role === 'user' && runId === null)
    .map(({ parts }) => textOf(parts))
}

/** A main run at work, with two messages that wait behind it. */
async function queued(first: Move, modes: readonly InboxRow['mode'][] = ['follow_up', 'follow_up']) {
  const h = stage(
    { main: [first, slow('done')] },
    {
      tools: [tool('look', { execute: never })],
      layers: [{ name: 'x', rules: [{ tool: '*', action: 'allow' }] }],
    },
  )
  const started = await h.start('go')
  await h.clock.settle()
  for (const [n, mode] of modes.entries()) await send(h, started, `queued ${n}`, mode)
  return { h, started }
}

async function perform(h: Staged, { conversationId, branchId }: Address, verb: 'interrupt' | 'cancel') {
  await h.clock.until(h.perform(conversationId, { verb, target: branchId, args: null }))
}

const IN_ORDER = ['go', 'queued 0', 'queued 1', 'last']

test.each(['follow_up', 'steer'] as const)(
  'a message (%s) to a paused run comes behind the queue',
  async (mode) => {
    const { h, started } = await queued(slow('never', 90_000))
    await perform(h, started, 'interrupt')
    const { started: again } = await send(h, started, 'last', mode)
    await h.clock.until(again!.result)
    expect(read(h, started)).toEqual(IN_ORDER)
    expect(h.actor.seen.at(-1)!.last).toBe('last')
    expectOrder(h, started)
  },
)

test('so does one whose run has a call without a result', async () => {
  const { h, started } = await queued({ calls: [use('look')] })
  await perform(h, started, 'interrupt')
  const { started: again } = await send(h, started, 'last')
  await h.clock.until(again!.result)
  expect(read(h, started)).toEqual(IN_ORDER)
  expectOrder(h, started)
})

test.each([
  ['follow_up', 'steer'],
  ['steer', 'follow_up'],
] as const)('and a message after a cancel, behind a %s and a %s', async (...modes) => {
  const { h, started } = await queued(slow('never', 90_000), modes)
  await perform(h, started, 'cancel')
  await h.clock.until(started.result)
  const { started: again } = await send(h, started, 'last')
  await h.clock.until(again!.result)
  expect(read(h, started)).toEqual(IN_ORDER)
  expectOrder(h, started)
})

test('and the text of a continue, whatever has stopped', async () => {
  for (const verb of ['interrupt', 'cancel'] as const) {
    const { h, started } = await queued(slow('never', 90_000))
    await perform(h, started, verb)
    const { started: again } = await h.clock.until(h.continue(started.branchId, { text: 'last' }))
    await h.clock.until(again!.result)
    expect(read(h, started), verb).toEqual(IN_ORDER)
    expectOrder(h, started)
  }
})

test('a continue without a text reads the steers first, and the follow-ups one by one at its end', async () => {
  const { h, started } = await queued(slow('never', 90_000), ['follow_up', 'steer'])
  await perform(h, started, 'interrupt')
  const { started: again } = await h.clock.until(h.continue(started.branchId, {}))
  await h.clock.until(again!.result)
  expect(read(h, started)).toEqual(['go', 'queued 1', 'Continue your previous work.', 'queued 0'])
  expectOrder(h, started)
})
