import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createRoster, writeGuardMessage } from './guard-roster.ts'
import { readEntry } from './process-table.ts'

const mark = { name: 'OFFSHOOT_OWNER', value: 'me' }
/** No process has this pid: it is above the maximum. */
const NOBODY = 2 ** 22 + 1

function line(...[message]: Parameters<typeof writeGuardMessage>): string {
  return writeGuardMessage(message).replace(/\n$/, '')
}

test('with /proc, reported processes are found by pid and start time, and others by the mark', () => {
  const roster = createRoster(mark)
  roster.push(line({ type: 'started', pid: NOBODY, startTime: '7' }))
  roster.push(line({ type: 'started', pid: NOBODY + 1, startTime: '8' }))
  roster.push(line({ type: 'ended', pid: NOBODY }))
  expect(roster.targets()).toEqual([{ mark, known: new Map([[NOBODY + 1, '8']]) }])
})

test('a group whose id was reused is left alone', async () => {
  const other = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
  const pid = other.pid!
  try {
    const roster = createRoster(mark)
    roster.push(line({ type: 'started', pid, startTime: 'another' }))
    roster.push(line({ type: 'ended', pid }))
    expect(roster.targets()).toEqual([{ mark, known: new Map() }])
  } finally {
    other.kill('SIGKILL')
    await once(other, 'exit')
  }
})

test('without /proc, groups are signalled until they are empty', () => {
  const roster = createRoster(mark, false)
  const { group } = readEntry(process.pid)!
  for (const pid of [NOBODY, group]) roster.push(line({ type: 'started', pid, startTime: '' }))
  expect(roster.targets()).toEqual([{ group: NOBODY }, { group }])
  for (const pid of [NOBODY, group]) roster.push(line({ type: 'ended', pid }))
  expect(roster.targets()).toEqual([{ group }])
})

test("only the owner's closing message closes the roster", () => {
  const roster = createRoster(mark)
  expect(roster.push(line({ type: 'ended', pid: NOBODY }))).toBeUndefined()
  expect(roster.push(line({ type: 'closing' }))).toBe('closing')
})
