import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { takeTurns } from './turns.ts'

let directory = ''
let file = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'offshoot-turns-'))
  file = join(directory, 'store.db')
})
afterEach(() => rmSync(directory, { recursive: true }))

const turns = (path = file) => takeTurns(path, 5_000, () => 0.5)

test('a short wait leaves no trace', () => {
  expect(turns().next(0)).toBe(2)
  expect(readdirSync(directory)).toEqual([])
})

test('the next one tries soon, those behind it later and later, and each moves up', () => {
  const waiting = [turns(), turns(), turns()]
  expect(waiting.map((each) => each.next(20))).toEqual([2.5, 10, 20])
  expect(turns().isQueue()).toBe(true)
  waiting[0]!.over()
  expect(waiting.slice(1).map((each) => each.next(30))).toEqual([2.5, 10])
  for (const each of waiting) each.over()
  expect(readdirSync(directory)).toEqual([])
})

test('nobody waits for more than the bound', () => {
  expect(turns().next(5_000, 4_000)).toBeDefined()
  expect(turns().next(5_000, 5_000)).toBeUndefined()
  expect(turns().next(60_000, 0)).toBeUndefined()
  rmSync(`${file}-turns`, { recursive: true })
})

describe('what is left in the queue', () => {
  const queue = () => `${file}-turns`
  const names = () => readdirSync(queue()).toSorted()

  /** Waits in the queue, and is killed. */
  function killWaiting(waiters = 1): void {
    const script = `
      import { takeTurns } from ${JSON.stringify(new URL('./turns.ts', import.meta.url).href)}
      for (let i = 0; i < ${waiters}; i++) takeTurns(${JSON.stringify(file)}, 5_000).next(20)
      process.kill(process.pid, 'SIGKILL')`
    spawnSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
  }

  test('by a killed process of this machine is nobody’s place', () => {
    killWaiting(40)
    expect(names()).toHaveLength(40)
    const own = turns()
    expect(own.next(20)).toBe(2.5)
    expect(names()).toHaveLength(1)
    own.over()
    expect(existsSync(queue())).toBe(false)
  })

  test('by a killed process is nobody’s place behind one that lives, either', () => {
    const first = turns()
    first.next(20)
    killWaiting()
    const own = turns()
    expect(own.next(20)).toBe(10)
    expect(names()).toHaveLength(2)
    first.over()
    expect(own.next(30)).toBe(2.5)
    own.over()
  })

  test('with the pid of another process that lives now is left: it has started at another time', () => {
    const own = turns()
    own.next(20)
    const [name] = names()
    own.over()
    const [time, pid, , ...rest] = name!.split('-')
    mkdirSync(queue())
    writeFileSync(join(queue(), [time, pid, '1', ...rest].join('-')), '')
    expect(own.next(20)).toBe(2.5)
    own.over()
    expect(existsSync(queue())).toBe(false)
  })

  test.each<[string, number, number]>([
    ['keeps its place for two minutes', -60_000, 10],
    ['is left after two minutes', -121_000, 2.5],
    ['is left when it comes from the future', 121_000, 2.5],
  ])('by a process that cannot be seen from here %s', (_, age, delay) => {
    for (const name of ['1-1-1-elsewhere', '1-1']) {
      mkdirSync(queue(), { recursive: true })
      const path = join(queue(), `${Date.now() + age}-${name}`)
      writeFileSync(path, '')
      const own = turns()
      own.next(20)
      expect(own.next(30)).toBe(delay)
      own.over()
      expect(existsSync(path)).toBe(delay === 10)
      rmSync(path, { force: true })
    }
  })

  test('that somebody took away is entered anew', () => {
    const [first, second] = [turns(), turns()]
    first.next(20)
    second.next(20)
    rmSync(join(queue(), names()[1]!))
    expect(second.next(30)).toBe(10)
    for (const each of [first, second]) each.over()
  })
})

test('where no folder can be made, the waiting goes on without an order', () => {
  writeFileSync(`${file}-turns`, 'a file')
  expect(turns().next(20)).toBe(10)
})

test('where the folder cannot be looked at, the waiting goes on without an order', () => {
  symlinkSync(`${file}-turns`, `${file}-turns`)
  const own = turns()
  expect(own.isQueue()).toBe(false)
  expect([own.next(0), own.next(20)]).toEqual([2, 10])
  own.over()
})
