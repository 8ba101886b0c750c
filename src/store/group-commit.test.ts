import { expect, test } from 'vitest'
import type { Engine } from './engine.ts'
import { groupCommit } from './group-commit.ts'

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
