import { expect, test } from 'vitest'
import type { BranchId, ConversationId } from '../../core/ids.ts'
import { sleep } from '../../core/clock.ts'
import { tool } from '../../../test/support/runtime-harness.ts'
import { expectOrder, foreground, stage, use, type Staged } from '../../../test/support/stage.ts'

const workspace = {
  root: '/w',
  resolve: (path: string) => ({ absolute: `/w/${path}`, relative: path, outside: false, guarded: null }),
}

/** The most runs of one branch that had not stopped at the same time, by the events. */
function mostAtOnce(h: Staged, branchId: BranchId): number {
  h.flush()
  const open = new Set<string>()
  let most = 0
  for (const event of h.told) {
    if (event.branchId !== branchId || !event.type.startsWith('run.')) continue
    const { runId, status } = event as { runId: string; status?: string }
    if (['queued', 'running', 'waiting'].includes(status ?? '')) open.add(runId)
    else if (status) open.delete(runId)
    most = Math.max(most, open.size)
  }
  return most
}

async function ended() {
  const h = stage({ main: [{ calls: [foreground('a')] }, { text: 'end' }], a: [{ text: 'a is done' }] })
  const first = await h.run('go')
  const child = h.store.find('runs', { where: { agent: 'a' } })[0]!
  return { h, ...first, child }
}

const send = (h: Staged, to: { conversationId: ConversationId; branchId: BranchId }, text: string) => {
  const { conversationId, branchId } = to
  return h.runtime.sendMessage({
    conversationId,
    branchId,
    text,
    mode: 'follow_up',
    workspace,
    systemText: () => '',
  })
}

test('of two that continue what has ended at the same moment one is continued, and the other one speaks to that run', async () => {
  const { h, conversationId, child } = await ended()
  const main = await h.start('again', { conversationId }) // the conversation is driven
  const command = (text: string) => ({ verb: 'continue', target: child.id, args: { text } }) as const
  const both = ['one', 'two'].map((text) => h.perform(conversationId, command(text)))
  const answers = await h.clock.until(Promise.all(both))
  await h.clock.until(main.result)
  expect(answers.map(({ outcome }) => outcome)).toEqual(['continued', 'steered'])
  expect(answers[1]!.runId).toBe(answers[0]!.runId)
  expect(mostAtOnce(h, child.branchId)).toBe(1)
  expectOrder(h, { conversationId })
})

test.each(['main', 'subagent'] as const)(
  'two messages at the same moment to an idle branch (%s) are answered one after the other',
  async (kind) => {
    const { h, conversationId, branchId, child } = await ended()
    const to = { conversationId, branchId: kind === 'main' ? branchId : child.branchId }
    const sent = await h.clock.until(Promise.all([send(h, to, 'one'), send(h, to, 'two')]))
    await h.clock.until(Promise.all(sent.flatMap(({ started }) => (started ? [started.result] : []))))
    expect(mostAtOnce(h, to.branchId)).toBe(1)
    const { told } = h
    const read = told.filter(({ type, branchId: on }) => type === 'inbox.delivered' && on === to.branchId)
    expect(read).toHaveLength(2)
    expectOrder(h, { conversationId })
  },
)

test.each(['pause', 'cancel'] as const)(
  'a message that comes while all is stopped (%s) starts once that is over',
  async (verb) => {
    const deaf = tool('deaf', { effects: 'write', idempotent: false, execute: () => sleep(h.clock, 3_000) })
    const layers = [{ name: 'x', rules: [{ tool: '*', action: 'allow' as const }] }]
    const parts = { main: [{ calls: [foreground('a')] }], a: [{ calls: [use('deaf')] }] }
    const h: Staged = stage(parts, { tools: [deaf], layers })
    const started = await h.start('go')
    await h.clock.settle()
    started.stop(verb)
    const sent = await h.clock.until(send(h, started, 'and now?'))
    await h.clock.until(started.result)
    await h.clock.until(sent.started!.result)
    expect(mostAtOnce(h, started.branchId)).toBe(1)
    expect(h.store.find('tool_calls', {}).filter(({ tool: name }) => name === 'deaf')).toHaveLength(1)
    const results = h.store.find('parts', {}).filter(({ part }) => part.type === 'tool-result')
    expect(results).toHaveLength(2)
    expectOrder(h, started)
  },
)
