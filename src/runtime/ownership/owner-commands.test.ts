import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { handClock, type HandClock } from '../../../test/support/runtime-harness.ts'
import { OffshootError } from '../../core/errors.ts'
import type { ConversationId, NewId } from '../../core/ids.ts'
import type { Store } from '../../store/port.ts'
import { openSqliteStore } from '../../store/sqlite/open.ts'
import { createBus } from '../log/bus.ts'
import { randomIds } from '../log/new-id.ts'
import { createRecorder, type Recorder } from '../log/recorder.ts'
import { askOwner } from './ask-owner.ts'
import { answerCommands, type Perform } from './owner-commands.ts'
import { Ownership } from './leases.ts'

let directory: string
let clock: HandClock
let newId: NewId
let id: ConversationId
let opened: Store[]
let living: Set<number>
let owner: Party
let asker: Party

interface Party {
  readonly store: Store
  readonly ownership: Ownership
  readonly recorder: Recorder
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'offshoot-commands-'))
  clock = handClock()
  newId = randomIds(clock)
  id = newId('cnv')
  opened = []
  living = new Set()
  owner = await party(1)
  asker = await party(2)
  const row = { id, directory: '/w', title: '', createdAt: 1, updatedAt: 1 }
  await owner.store.tx((tx) => tx.insert('conversations', row), { durable: false })
})

afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()))
  rmSync(directory, { recursive: true })
})

async function party(pid: number): Promise<Party> {
  const store = await openSqliteStore({ file: join(directory, 'offshoot.db'), now: clock.now })
  opened.push(store)
  living.add(pid)
  const processes = {
    self: { host: 'here', bootId: 'boot', pid, pidStart: 0 },
    startOf: (each: number) => (living.has(each) ? 0 : undefined),
  }
  const ownership = new Ownership({ store, clock, owner: `owner ${pid}`, processes })
  const recorder = createRecorder({ store, bus: createBus(clock), clock, leases: ownership })
  return { store, ownership, recorder }
}

const ask = (verb: string) =>
  askOwner({ ...asker, clock, newId }, id, { verb, target: id, args: { text: 'hi' } })
const answer = (perform: Perform) => answerCommands({ ...owner, clock }, id, perform).end

describe('a command of another process', () => {
  it('is done by the owner, once, and its answer comes back', async () => {
    await owner.ownership.acquire(id)
    const seen: unknown[] = []
    const end = answer(async (command) => {
      seen.push(command)
      return { done: command.verb }
    })
    expect(await clock.until(ask('cancel'))).toEqual({ type: 'answered', value: { done: 'cancel' } })
    expect(await clock.until(ask('close'))).toEqual({ type: 'answered', value: { done: 'close' } })
    end()
    expect(seen).toEqual([
      expect.objectContaining({ verb: 'cancel', target: id, args: { text: 'hi' } }),
      expect.objectContaining({ verb: 'close' }),
    ])
  })

  it('is answered in the transaction that does it: what that loses is not answered', async () => {
    await owner.ownership.acquire(id)
    const end = answer(async (_, { settle }) => {
      await owner.recorder.record(id, ({ tx }) => {
        tx.update('conversations', id, { title: 'done' })
        settle(tx, 'once')
      })
      return 'twice'
    })
    expect(await clock.until(ask('steer'))).toEqual({ type: 'answered', value: 'once' })
    expect(asker.store.get('conversations', id)?.title).toBe('done')
    end()
  })

  it('that was withdrawn while it was begun is not done: whoever asked does it, or was told that it is not done', async () => {
    await owner.ownership.acquire(id)
    const { promise: withdrawn, resolve } = Promise.withResolvers<void>()
    let failure: unknown
    const end = answer(async (_, { settle }) => {
      await withdrawn
      const write = owner.recorder.record(id, ({ tx }) => {
        tx.update('conversations', id, { title: 'done' })
        settle(tx, 'once')
      })
      await write.catch((error: unknown) => {
        failure = error
        throw error
      })
    })
    await expect(clock.until(ask('steer'))).rejects.toMatchObject({ code: 'conflict' })
    resolve()
    await clock.settle()
    expect(failure).toMatchObject({ code: 'conflict' })
    expect(asker.store.get('conversations', id)?.title).toBe('')
    expect(asker.store.find('commands', {})).toEqual([])
    end()
  })

  it('that is refused comes back as the error that it was', async () => {
    await owner.ownership.acquire(id)
    const end = answer(async () => {
      throw new OffshootError('conflict', 'it is over', { hint: 'continue it' })
    })
    await expect(clock.until(ask('steer'))).rejects.toMatchObject({
      code: 'conflict',
      message: 'it is over',
      hint: 'continue it',
    })
    end()
  })

  it('is left to the one who brings it when nobody owns the conversation, or its owner ends first', async () => {
    expect(await ask('cancel')).toEqual({ type: 'no owner' })
    await owner.ownership.acquire(id)
    const asked = ask('cancel')
    await clock.advance(100)
    living.delete(1)
    expect(await clock.until(asked)).toEqual({ type: 'no owner' })
    expect(asker.store.count('commands', {})).toBe(0)
  })

  it('has an end where a living owner does not answer', async () => {
    await owner.ownership.acquire(id)
    await expect(clock.until(ask('cancel'))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^pid 1 on here since .* does not answer$/),
    })
    expect(asker.store.count('commands', {})).toBe(0)
  })

  it('is not done any more when nobody waits for it', async () => {
    const row = { conversationId: id, verb: 'cancel', target: id, args: null, answer: null, answeredAt: null }
    const old = { ...row, id: newId('cmd'), createdAt: clock.now() - 60_000 }
    await asker.store.tx((tx) => tx.insert('commands', old), { durable: false })
    await owner.ownership.acquire(id)
    const done: unknown[] = []
    const end = answer(async (command) => done.push(command))
    await clock.advance(1_000)
    end()
    expect(done).toEqual([])
  })

  it('is done at the next look, where the store of the owner cannot be read at first', async () => {
    await owner.ownership.acquire(id)
    let failures = 2
    const find: Store['find'] = (table, query) => {
      if (table === 'commands' && failures-- > 0) throw new Error('the disk is away')
      return owner.store.find(table, query)
    }
    const end = answerCommands(
      { ...owner, store: { ...owner.store, find }, clock },
      id,
      async () => 'done',
    ).end
    expect(await clock.until(ask('cancel'))).toEqual({ type: 'answered', value: 'done' })
    expect(failures).toBeLessThan(0)
    end()
  })

  it('is not answered by an owner that has lost its lease', async () => {
    await owner.ownership.acquire(id)
    const end = answer(async () => 'done')
    const asked = ask('cancel')
    await asker.store.tx((tx) => tx.update('leases', id, { owner: 'another', epoch: 2 }), { durable: false })
    expect(await clock.until(asked)).toEqual({ type: 'no owner' })
    end()
  })
})
