import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { handClock, type HandClock } from '../../../test/support/runtime-harness.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Reader, Store } from '../../store/port.ts'
import { openSqliteStore } from '../../store/sqlite/open.ts'
import { randomIds } from '../log/new-id.ts'
import { Ownership } from './leases.ts'
import { hasExited, systemProcesses, type ProcessIdentity, type Processes } from './process-identity.ts'
import { watchStore } from './watch-store.ts'

let directory: string
let clock: HandClock
let stores: Store[]
let living: Map<number, number>
let id: ConversationId

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'offshoot-ownership-'))
  clock = handClock()
  stores = []
  living = new Map()
  id = randomIds(clock)('cnv')
  const store = await open()
  await addConversation(store, id)
})

afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()))
  rmSync(directory, { recursive: true })
})

/** Another process on the same file. */
async function other(pid: number, where: Partial<ProcessIdentity> = {}) {
  const store = await open()
  const self = { host: 'here', bootId: 'boot', pid, pidStart: pid * 10, ...where }
  if (self.host === 'here') living.set(pid, self.pidStart)
  const processes: Processes = { self, startOf: (each) => living.get(each) }
  const ownership = new Ownership({ store, clock, owner: `owner ${pid}`, processes })
  const write = () =>
    store.tx(
      (tx) => {
        ownership.check(tx, id)
        tx.update('conversations', id, { title: `by ${pid}` })
      },
      { durable: false },
    )
  return { store, ownership, write }
}

async function open(): Promise<Store> {
  const store = await openSqliteStore({ file: join(directory, 'offshoot.db'), now: clock.now })
  stores.push(store)
  return store
}

async function addConversation(store: Store, conversationId: ConversationId): Promise<void> {
  const row = { id: conversationId, directory: '/w', title: '', createdAt: 1, updatedAt: 1 }
  await store.tx((tx) => tx.insert('conversations', row), { durable: false })
}

describe('the lease of a conversation', () => {
  it('whose return could not be stored is free at once for the same program', async () => {
    const first = await other(1)
    await first.ownership.acquire(id)
    first.store.tx = () => Promise.reject(new Error('the disk is full'))
    await first.ownership.release(id)
    const again = new Ownership({
      store: await open(),
      clock,
      owner: 'owner 1, opened again',
      processes: { self: { host: 'here', bootId: 'boot', pid: 1, pidStart: 10 }, startOf: () => 10 },
    })
    const stranger = await other(2)
    expect(again.livingOwner(id)).toBeUndefined()
    await again.acquire(id)
    expect(again.owns(id)).toBe(true)
    await expect(stranger.ownership.acquire(id)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('that was lost is not had again by what still drives it, even when it is free', async () => {
    const [first, far] = [await other(1), await other(3, { host: 'far' })]
    await first.ownership.acquire(id)
    await clock.advance(1)
    const row = first.store.get('leases', id)!
    await far.store.tx(
      (tx) => tx.update('leases', id, { ...row, owner: 'owner 3', epoch: row.epoch + 1, renewedAt: 0 }),
      { durable: false },
    )
    await expect(first.ownership.acquire(id)).rejects.toMatchObject({ code: 'conflict' })
    await expect(first.write()).rejects.toMatchObject({ code: 'conflict' })
    expect(first.ownership.owns(id)).toBe(false)
  })

  it('whose return could not be stored is not remembered once it was acquired again', async () => {
    const first = await other(1)
    await first.ownership.acquire(id)
    const row = first.store.get('leases', id)!
    const { tx } = first.store
    first.store.tx = () => Promise.reject(new Error('full'))
    await first.ownership.release(id)
    const asItWas: Reader = { ...first.store, get: () => row as never }
    expect(first.ownership.livingOwner(id, asItWas)).toBeUndefined()
    await expect(first.ownership.acquire(id)).rejects.toThrow('full')
    expect(first.ownership.livingOwner(id, asItWas)).toBeUndefined()
    first.store.tx = tx
    await first.ownership.acquire(id)
    expect(first.ownership.livingOwner(id, asItWas)).toBe(row)
  })

  it('whose return was not stored is had again by the process that gave it back', async () => {
    const first = await other(1)
    await first.ownership.acquire(id)
    const { tx } = first.store
    first.store.tx = () => Promise.reject(new Error('full'))
    await first.ownership.release(id)
    first.store.tx = tx
    await first.ownership.acquire(id)
    await first.write()
    expect(first.store.get('leases', id)).toMatchObject({ owner: 'owner 1', epoch: 2 })
  })

  it('that was renewed in the future is free, unless its process is seen to live', async () => {
    const [first, far] = [await other(1), await other(3, { host: 'far' })]
    const later = { renewedAt: clock.now() + 1e9 }
    await far.ownership.acquire(id)
    await far.store.tx((tx) => tx.update('leases', id, later), { durable: false })
    await first.ownership.acquire(id)
    await first.store.tx((tx) => tx.update('leases', id, later), { durable: false })
    await expect((await other(2)).ownership.acquire(id)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('keeps every other process out, and says who has it, where, since when, and what to do', async () => {
    const [first, second] = [await other(1), await other(2)]
    await first.ownership.acquire(id)
    const error: unknown = await second.ownership.acquire(id).catch((each: unknown) => each)
    expect(error).toMatchObject({
      code: 'conflict',
      hint: expect.stringMatching(/cancel, steer and approve/),
    })
    expect(String(error)).toContain(`${id} is driven by another process: pid 1 on here since 2027-`)
    await expect(second.write()).rejects.toThrow('is driven by another process: pid 1')
    await first.write()
    expect(second.ownership.livingOwner(id)).toMatchObject({ pid: 1, epoch: 1 })
  })

  it('is kept by renewing it every two seconds, however long that is', async () => {
    const [first, second] = [await other(1), await other(2)]
    await first.ownership.acquire(id)
    await clock.advance(3_600_000)
    await expect(second.ownership.acquire(id)).rejects.toThrow('pid 1')
    await first.write()
  })

  it('is free at once when its process has ended, and when the machine was started anew', async () => {
    const [first, second] = [await other(1), await other(2)]
    await first.ownership.acquire(id)
    living.set(1, 99) // its pid was given to somebody else
    await second.ownership.acquire(id)
    expect(second.ownership.livingOwner(id)).toMatchObject({ pid: 2, epoch: 2 })
    const rebooted = await other(3, { bootId: 'next boot' })
    await rebooted.ownership.acquire(id)
    expect(rebooted.ownership.livingOwner(id)).toMatchObject({ pid: 3, epoch: 3 })
  })

  it('of another machine is free only after 15 s without renewal', async () => {
    const [far, near] = [await other(1, { host: 'far' }), await other(2)]
    await far.ownership.acquire(id)
    await stopRenewing(far.store)
    await clock.advance(14_900)
    await expect(near.ownership.acquire(id)).rejects.toThrow('pid 1 on far')
    await clock.advance(101)
    await near.ownership.acquire(id)
  })

  it('once lost lets its process write nothing any more, and tells it', async () => {
    const [first, second] = [await other(1), await other(2)]
    await first.ownership.acquire(id)
    const lost: unknown[] = []
    first.ownership.onLost((each, error) => lost.push(each, error.message))
    living.delete(1)
    await second.ownership.acquire(id)
    living.set(1, 10) // it was only stopped
    await expect(first.write()).rejects.toMatchObject({ code: 'conflict', message: /no more: pid 2 on here/ })
    expect(lost).toEqual([id, expect.stringContaining('pid 2 on here')])
    await expect(first.ownership.acquire(id)).rejects.toThrow('no longer drives')
    await first.ownership.release(id) // and that changes nothing of the other's
    await second.write()
    await second.ownership.release(id)
    await first.ownership.acquire(id)
    expect(first.ownership.livingOwner(id)).toMatchObject({ pid: 1, epoch: 3 })
  })

  it('is found lost by the next renewal too, where nothing is written meanwhile', async () => {
    const [first, second] = [await other(1), await other(2)]
    await first.ownership.acquire(id)
    const { promise: lost, resolve } = Promise.withResolvers<unknown>()
    first.ownership.onLost(resolve)
    living.delete(1)
    await second.ownership.acquire(id)
    expect(await clock.until(lost)).toBe(id)
    expect(first.ownership.owns(id)).toBe(false)
  })

  it('is held until the last in the process gives it back', async () => {
    const [first, second] = [await other(1), await other(2)]
    await Promise.all([first.ownership.acquire(id), first.ownership.acquire(id)])
    await first.ownership.release(id)
    await expect(second.ownership.acquire(id)).rejects.toThrow('pid 1')
    await first.ownership.release(id)
    expect(clock.pending()).toBe(0)
    await second.ownership.acquire(id)
    expect(first.ownership.livingOwner(id)).toMatchObject({ pid: 2, epoch: 2 })
  })

  it('that is just being given back lets its process write what it had asked for before', async () => {
    const one = await other(1)
    await one.ownership.acquire(id)
    const written = one.write()
    const released = one.ownership.release(id)
    await expect(written).resolves.toBeUndefined()
    await released
  })

  it('that could not be given back stays with its process, as far as others know', async () => {
    const [one, two] = [await other(1), await other(2)]
    await one.ownership.acquire(id)
    const { tx } = one.store
    one.store.tx = () => Promise.reject(new Error('the disk is full'))
    await one.ownership.release(id)
    one.store.tx = tx
    await expect(two.ownership.acquire(id)).rejects.toMatchObject({ code: 'conflict' })
    const again = await other(1)
    await expect(again.ownership.acquire(id)).resolves.toBeUndefined()
  })

  it('can be taken in the transaction that makes the conversation', async () => {
    const { store, ownership } = await other(1)
    const fresh = randomIds(clock)('cnv')
    const write = (fail: boolean) =>
      store.tx(
        (tx) => {
          tx.insert('conversations', { id: fresh, directory: '/w', title: '', createdAt: 1, updatedAt: 1 })
          ownership.acquireIn(tx, fresh)
          if (fail) throw new Error('no')
        },
        { durable: false },
      )
    await expect(write(true)).rejects.toThrow('no')
    await ownership.release(fresh)
    expect(ownership.livingOwner(fresh)).toBeUndefined()
    await write(false)
    expect(ownership.livingOwner(fresh)).toMatchObject({ epoch: 1 })
  })

  it('ends with the conversation, and there is none without one', async () => {
    const { store, ownership, write } = await other(1)
    await ownership.acquire(id)
    await store.tx((tx) => tx.delete('conversations', id), { durable: false })
    await expect(write()).rejects.toThrow('it was deleted')
    await ownership.release(id)
    await expect(ownership.acquire(id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('of two that come at the same moment one gets', async () => {
    const all = await Promise.all([1, 2, 3, 4].map((pid) => other(pid)))
    const taken = await Promise.allSettled(all.map(({ ownership }) => ownership.acquire(id)))
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

describe('a process of this machine', () => {
  it('is this one, which lives, and is gone when it has ended', async () => {
    const processes = systemProcesses()
    expect(hasExited(processes.self, processes)).toBe(false)
    expect(hasExited({ ...processes.self, pidStart: processes.self.pidStart + 1 }, processes)).toBe(true)
    const child = spawn(process.execPath, ['-e', ''])
    const identity = { ...processes.self, pid: child.pid!, pidStart: processes.startOf(child.pid!)! }
    expect(hasExited(identity, processes)).toBe(false)
    await once(child, 'exit')
    expect(hasExited(identity, processes)).toBe(true)
    expect(hasExited({ ...identity, host: `not ${identity.host}` }, processes)).toBe(false)
  })
})

describe('the watch of a store', () => {
  it('tells of what others have written, and not of what its own process has', async () => {
    const [mine, others] = [await other(1), await other(2)]
    let changes = 0
    const end = watchStore(mine.store, clock, () => changes++)
    await clock.advance(0)
    expect(changes).toBe(1)
    await mine.write()
    await clock.advance(1_000)
    expect(changes).toBe(1)
    await others.write()
    await clock.advance(50)
    expect(changes).toBe(2)
    end()
    await others.write()
    await clock.advance(1_000)
    expect(changes).toBe(2)
    expect(clock.pending()).toBe(0)
  })
})

/** As if its process did nothing any more. */
async function stopRenewing(store: Store): Promise<void> {
  await store.close()
  stores.splice(stores.indexOf(store), 1)
}
