import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findProgram } from './find-program.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-test-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function program(name: string, mode = 0o755): string {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '#!/bin/sh\n', { mode })
  return dirname(file)
}

test.skipIf(process.platform === 'win32')('the first one on the PATH that lies outside', () => {
  const inside = program('work/node_modules/.bin/git')
  const outside = program('bin/git')
  const notExecutable = program('texts/git', 0o644)
  const linked = join(folder, 'linked')
  mkdirSync(linked)
  symlinkSync(join(inside, 'git'), join(linked, 'git'))
  const path = ['.', '', inside, linked, notExecutable, outside].join(':')
  const work = join(folder, 'work')
  expect(findProgram('git', { path, outside: [work] })).toBe(join(outside, 'git'))
  expect(findProgram('git', { path, outside: [work, join(folder, 'bin')] })).toBeUndefined()
  expect(findProgram('git', { path, outside: [] })).toBe(join(inside, 'git'))
  expect(findProgram('git', { path: undefined, outside: [] })).toBeUndefined()
})
