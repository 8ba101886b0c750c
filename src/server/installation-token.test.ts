import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { installationToken } from './installation-token.ts'

let home: string
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'offshoot-token-'))))
afterEach(() => rmSync(home, { recursive: true }))

const modeOf = (name: string) => statSync(join(home, name)).mode & 0o777

test('is made once, and is for its user alone, even where somebody has opened it to others', () => {
  const token = installationToken(home)
  expect(modeOf('token')).toBe(0o600)
  chmodSync(join(home, 'token'), 0o644)
  expect(installationToken(home)).toBe(token)
  expect(modeOf('token')).toBe(0o600)
})

test('leaves alone what contains no token, wherever its name leads', () => {
  writeFileSync(join(home, 'other'), 'the name of a machine\n', { mode: 0o644 })
  symlinkSync(join(home, 'other'), join(home, 'token'))
  expect(() => installationToken(home)).toThrow('contains no token')
  expect(modeOf('other')).toBe(0o644)
})
