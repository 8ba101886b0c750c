import { expect, test, vi } from 'vitest'
import { OffshootError } from '../core/errors.ts'
import type { Engine } from './engine.ts'
import { groupCommit, type Turns } from './group-commit.ts'

test('what one turn of the event loop hands in, after microtasks too, shares one commit', async () => {
  const calls: string[] = []
  const store = groupCommit(recorded(calls))
  const write = (durable: boolean) => store.tx(() => {}, { durable })
  const first = write(false)
  const later = Promise.resolve()
    .then(() => {})
    .then(() => {})
    .then(() => write(true))
  await Promise.all([first, later])
  expect(calls.filter((call) => call !== 'savepoint' && call !== 'release')).toEqual([
    'begin durable',
    'commit',
  ])
  await write(false)
  expect(calls.slice(-2)).toEqual(['begin', 'commit'])
})

const turns = (next: Turns['next']): Turns => ({ isQueue: () => false, next, over: () => {} })

/** An engine that is locked by others so many times. */
function lockedFor(times: number, calls: string[]): Engine {
  let left = times
  const begin = vi.fn(() => {
    if (left-- > 0) throw new OffshootError('store_locked', 'locked')
    calls.push('begin')
  })
  return { ...recorded(calls), begin }
}

test('while others write, a group waits with what joins it, reads are answered, and closing comes after it', async () => {
  const calls: string[] = []
  const store = groupCommit(lockedFor(3, calls), { turns: turns(() => 1) })
  const first = store.tx(() => calls.push('first'), { durable: true })
  await new Promise(setImmediate)
  expect(store.count('runs', {})).toBe(0)
  const second = store.tx(() => calls.push('second'), { durable: true })
  const closed = store.close().then(() => calls.push('closed'))
  await Promise.all([first, second, closed])
  expect(calls.filter((call) => /^(begin|first|second|commit|closed)$/.test(call))).toEqual([
    'begin',
    'first',
    'second',
    'commit',
    'closed',
  ])
})

test('a group that has waited for too long fails, and the next one is tried anew', async () => {
  const calls: string[] = []
  const nextTry = vi.fn<Turns['next']>().mockReturnValueOnce(1).mockReturnValueOnce(undefined)
  const store = groupCommit(lockedFor(2, calls), { turns: turns(nextTry) })
  const write = () => store.tx(() => 'stored', { durable: true })
  await expect(write()).rejects.toMatchObject({ code: 'store_locked' })
  expect(await write()).toBe('stored')
  expect(nextTry.mock.calls[0]![0]).toBeLessThan(1_000)
})

/** An engine that stores nothing and notes how its transactions go. */
function recorded(calls: string[]): Engine {
  const note = (name: string) => () => void calls.push(name)
  return {
    get: () => undefined,
    find: () => [],
    count: () => 0,
    dataVersion: () => 0,
    insert: () => {},
    update: () => {},
    delete: () => false,
    begin: (durable) => void calls.push(durable ? 'begin durable' : 'begin'),
    savepoint: note('savepoint'),
    release: note('release'),
    rollbackToSavepoint: note('rollback to'),
    commit: note('commit'),
    rollback: note('rollback'),
    lost: () => undefined,
    close: () => {},
  }
}
