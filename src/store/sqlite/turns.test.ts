import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
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

test('what a killed process has left in the queue goes', () => {
  mkdirSync(`${file}-turns`)
  writeFileSync(join(`${file}-turns`, '1000000000000-1-1'), '')
  const own = turns()
  own.next(20)
  expect(own.next(20)).toBe(2.5)
  own.over()
  expect(existsSync(`${file}-turns`)).toBe(false)
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
