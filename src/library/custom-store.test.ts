import { EventEmitter, once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createMemoryStore } from '../store/memory.ts'
import type { Store } from '../store/port.ts'
import { createTestOffshoot, scriptedModel } from '../testing.ts'
import { createOffshoot } from './offshoot.ts'
import { tool } from './tool.ts'

const METHODS = ['get', 'find', 'count', 'tx', 'dataVersion'] as const
type Method = (typeof METHODS)[number]

/** Throws, or rejects, from `fail` on, with whatever that says. */
function failingStore() {
  const store = createMemoryStore()
  const failing = new Map<Method, unknown>()
  const own = { close: store.close } as Record<string, unknown>
  const failures = new EventEmitter()
  for (const name of METHODS) {
    own[name] = (...args: unknown[]) => {
      if (failing.has(name)) {
        failures.emit('failed')
        throw failing.get(name)
      }
      return (store[name] as (...args: unknown[]) => unknown)(...args)
    }
  }
  const fail = (name: Method, error: unknown) => failing.set(name, error)
  const failed = () => once(failures, 'failed')
  return { store: own as unknown as Store, fail, failed, heal: () => failing.clear() }
}

const disk = new Error('the disk is away')
const open = (store: Store) =>
  createOffshoot({
    store,
    model: scriptedModel({ agents: { '*': [{ text: 'hi' }] } }),
    env: { HOME: '/none' },
  })

describe('a store of the program’s own that fails', () => {
  it.each([
    ['an error', disk, 'the store failed: the disk is away'],
    ['nothing', undefined, 'the store failed: undefined'],
    ['a proxy that refuses everything', refusing(), 'the store failed: unknown error'],
  ])('with %s: every call rejects with `internal` and the cause', async (_, error, message) => {
    const { store, fail, heal } = failingStore()
    await using offshoot = await open(store)
    const chat = await offshoot.chat()
    const rejected = { name: 'OffshootError', code: 'internal', message, cause: error }
    const wants = async (call: () => Promise<unknown>) => {
      const caught: unknown = await call().catch((each: unknown) => each)
      expect(caught).toMatchObject({ name: rejected.name, code: rejected.code, message })
      expect((caught as Error).cause === error).toBe(true)
    }
    for (const name of ['find', 'get'] as const) fail(name, error)
    await wants(() => offshoot.conversations.list())
    await wants(() => offshoot.runs.get('run_01K9Z300000000000000000000'))
    heal()
    fail('tx', error)
    await wants(() => chat.send('go'))
    heal()
    expect(await (await chat.send('go')).result()).toMatchObject({ status: 'completed' })
  })

  it('in the middle of a change says so too', async () => {
    const { store } = failingStore()
    const insert = () => {
      throw disk
    }
    const tx: Store['tx'] = (write, options) =>
      store.tx(
        (own) =>
          write({
            get: (table, key) => own.get(table, key),
            find: (table, query) => own.find(table, query),
            count: (table, where) => own.count(table, where),
            update: (table, key, change) => own.update(table, key, change),
            delete: (table, key) => own.delete(table, key),
            insert,
          }),
        options,
      )
    const broken: Store = { ...store, tx }
    await using offshoot = await open(broken)
    await expect((await offshoot.chat()).send('go')).rejects.toMatchObject({ code: 'internal', cause: disk })
  })

  it('while nobody asks it anything ends no process', async () => {
    const { store, fail, failed, heal } = failingStore()
    const gate = Promise.withResolvers<string>()
    const inputSchema = z.object({})
    const wait = tool({
      name: 'wait',
      description: 'x',
      effects: 'none',
      inputSchema,
      execute: () => gate.promise,
    })
    const model = scriptedModel({
      agents: { '*': [{ toolCalls: [{ tool: 'wait', input: {} }] }, { text: 'late' }] },
    })
    await using offshoot = await createOffshoot({ store, model, tools: [wait], env: { HOME: '/none' } })
    const run = await (await offshoot.chat()).send('go')
    fail('find', disk)
    fail('get', disk)
    for (let looks = 0; looks < 3; looks++) await failed()
    heal()
    gate.resolve('through')
    expect(await run.result()).toMatchObject({ status: 'completed', text: 'late' })
  })

  it('when an approval expires: it expires a little later', async () => {
    const { store, fail, heal } = failingStore()
    const script = {
      main: [{ toolCalls: [{ tool: 'bash', input: { command: 'touch x' } }] }, { text: 'denied' }],
    }
    await using t = await createTestOffshoot({ store, script, config: { limits: { approvalMs: 10_000 } } })
    const run = await (await t.offshoot.chat()).send('go')
    const events = run.events({ answers: true })
    while ((await t.clock.until(events.next())).value?.type !== 'approval.requested');
    fail('tx', disk)
    await t.clock.advance(15_000)
    heal()
    expect(await t.clock.until(run.result())).toMatchObject({ status: 'completed', text: 'denied' })
  })
})

function refusing(): unknown {
  const refuse = () => {
    throw new Error('no')
  }
  return new Proxy({}, { get: refuse, getPrototypeOf: refuse, has: refuse })
}
