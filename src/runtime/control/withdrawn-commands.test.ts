import { describe, expect, test } from 'vitest'
import { tool } from '../../../test/support/runtime-harness.ts'
import { expectOrder, foreground, slow, stage, use, type Staged } from '../../../test/support/stage.ts'
import type { ConversationId } from '../../core/ids.ts'
import { createMemoryStore } from '../../store/memory.ts'
import type { Store } from '../../store/port.ts'
import type { StoredAnswer } from '../ownership/owner-commands.ts'

interface Shared extends Store {
  /** The next transaction is preceded by another process, which withdraws this command. */
  withdraws: string | undefined
}

/** A store that another process writes to as well. */
function shared(): Shared {
  const base = createMemoryStore()
  let version = 0
  return {
    ...base,
    withdraws: undefined,
    dataVersion: () => ++version,
    tx(write, options) {
      const id = this.withdraws
      this.withdraws = undefined
      if (id) void base.tx((tx) => void tx.delete('commands', id), { durable: true })
      return base.tx(write, options)
    },
  }
}

interface Command {
  readonly verb: string
  readonly target: string
  readonly args: object | null
}

/**
 * Another process brings commands, of which the first is withdrawn in the commit in which all are done; returns the
 * answers of the others.
 */
async function bring(h: Staged, conversationId: ConversationId, commands: readonly Command[]) {
  const store = h.store as Shared
  const createdAt = h.clock.now()
  const rows = commands.map((command, at) => {
    const id = `cmd_${createdAt}_${at}`
    return { id, conversationId, ...command, createdAt, answer: null, answeredAt: null }
  })
  await store.tx((tx) => rows.forEach((row) => tx.insert('commands', row)), { durable: true })
  store.withdraws = rows[0]!.id
  await h.clock.advance(200)
  expect(store.get('commands', rows[0]!.id)).toBeUndefined()
  return rows.slice(1).map(({ id }) => store.get('commands', id)?.answer as StoredAnswer)
}

const owning = () => ({ store: shared(), hasLeases: true })
const parts = {
  main: [{ calls: [foreground('a')] }, { text: 'end' }, slow('later'), { text: 'last' }],
  a: [{ text: 'a is done' }, { text: 'a again' }, { text: 'a for the third time' }],
}

describe.each(['continue', 'message'] as const)('a %s that was withdrawn', (verb) => {
  const command = (target: string, text: string, more = {}) => ({
    verb,
    target,
    args: { text, ...more, ...(verb === 'message' ? { mode: 'follow_up' } : {}) },
  })

  async function ended() {
    const h = stage(parts, owning())
    const { conversationId } = await h.run('go')
    const main = await h.start('again', { conversationId })
    await h.clock.settle()
    return { h, main, conversationId, child: h.store.find('runs', { where: { agent: 'a' } })[0]!.branchId }
  }

  test('leaves no run to which the next one speaks', async () => {
    const { h, main, conversationId, child } = await ended()
    const commands = [command(child, 'one'), command(child, 'two')]
    const [answer] = await bring(h, conversationId, commands)
    expect(answer).toMatchObject({ ok: true })
    await h.clock.until(main.result)
    const { runId } = (answer as { value: { runId: string } }).value
    expect(h.store.get('runs', runId)).toMatchObject({ status: 'completed' })
    expect(h.store.find('inbox', { where: { deliveredAt: null } })).toEqual([])
    expectOrder(h, { conversationId })
  })

  test('gives no money', async () => {
    const { h, main, conversationId, child } = await ended()
    const commands = [command(child, 'one', { budgetUsd: 77 }), command(child, 'two')]
    await bring(h, conversationId, commands)
    await h.clock.until(main.result)
    expect(h.store.get('conversations', conversationId)?.budget?.usd).not.toBe(77)
  })
})

const pausing = (h: Staged, agent: string) =>
  h.store.find('runs', { where: { agent } }).at(-1)!.pausing ?? null

describe('a pause', () => {
  const busy = {
    main: [{ calls: [use('hold')] }, { text: 'end' }],
  }

  async function working() {
    const { promise, resolve } = Promise.withResolvers<string>()
    const hold = tool('hold', { execute: () => promise })
    const h = stage(busy, { ...owning(), tools: [hold] })
    const started = await h.start('go')
    await h.clock.settle()
    return { h, ...started, end: () => resolve('held') }
  }

  const command = (verb: string, target: string, args: object | null = null) => ({ verb, target, args })

  test('that was withdrawn pauses nothing', async () => {
    const { h, conversationId, branchId, result, end } = await working()
    await bring(h, conversationId, [command('pause', branchId)])
    end()
    expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'end' })
  })

  test('of all that was withdrawn lets reports wake', async () => {
    const { h, conversationId, result, end } = await working()
    await bring(h, conversationId, [command('pause', conversationId)])
    end()
    expect(await h.clock.until(result)).toMatchObject({ status: 'completed' })
  })

  test('stays, where a continue was withdrawn', async () => {
    const { h, conversationId, branchId, result, end } = await working()
    await h.perform(conversationId, { verb: 'pause', target: branchId, args: null })
    expect(pausing(h, 'main')).toBe('user')
    await bring(h, conversationId, [command('continue', branchId, { text: 'go on' })])
    end()
    expect(await h.clock.until(result)).toMatchObject({ status: 'paused' })
  })
})

test('an approval that was withdrawn can be given by the next one', async () => {
  const layers = [{ name: 'x', rules: [{ tool: 'write', action: 'ask' as const }] }]
  const write = tool('write', { effects: 'write', execute: () => 'written' })
  const h = stage(
    { main: [{ calls: [use('write')] }, { text: 'end' }] },
    { ...owning(), tools: [write], layers },
  )
  h.runtime.approvals.attend()
  const { conversationId, result } = await h.start('go')
  await h.clock.settle()
  const target = h.store.find('approvals', {})[0]!.id
  const command = { verb: 'approve', target, args: { answer: 'once', by: 'me' } }
  const [answer] = await bring(h, conversationId, [command, command])
  expect(answer).toMatchObject({ ok: true })
  expect(await h.clock.until(result)).toMatchObject({ status: 'completed' })
  expect(h.clock.now()).toBeLessThan(h.store.find('approvals', {})[0]!.requestedAt + 1_000)
})

test('a move to the background that was withdrawn leaves its parent waiting', async () => {
  const parts = { main: [{ calls: [foreground('a')] }, { text: 'end' }], a: [slow('a is done', 5_000)] }
  const h = stage(parts, owning())
  const { conversationId, result } = await h.start('go')
  await h.clock.settle()
  const target = h.store.find('runs', { where: { agent: 'a' } })[0]!.branchId
  await bring(h, conversationId, [{ verb: 'background', target, args: null }])
  expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'end' })
  expectOrder(h, { conversationId })
})

test('a cancel of what has paused, that was withdrawn, leaves it to be continued', async () => {
  const parts = {
    main: [{ calls: [foreground('a')] }, { text: 'end' }],
    a: [slow('never'), { text: 'a is done' }],
  }
  const h = stage(parts, owning())
  const { conversationId, result } = await h.start('go')
  await h.clock.settle()
  const { branchId: target, id } = h.store.find('runs', { where: { agent: 'a' } })[0]!
  await h.perform(conversationId, { verb: 'interrupt', target, args: null })
  const [answer] = await bring(h, conversationId, [
    { verb: 'cancel', target, args: null },
    { verb: 'continue', target, args: { text: 'go on' } },
  ])
  expect(answer).toMatchObject({ ok: true, value: { runId: id } })
  expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'end' })
  expectOrder(h, { conversationId })
})
