import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const MAIN = join(import.meta.dirname, 'main.ts')

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-home-'))
})

afterEach(() => rmSync(home, { recursive: true }))

const start = (env: Record<string, string>) =>
  execFileSync(process.execPath, [MAIN, '--version'], { env, cwd: home, encoding: 'utf8' })

test('what was compiled is kept in the cache of the user', () => {
  start({ HOME: home })
  expect(existsSync(join(home, '.cache/offshoot/compiled'))).toBe(true)
  start({ HOME: '/nowhere', XDG_CACHE_HOME: join(home, 'other') })
  expect(existsSync(join(home, 'other/offshoot/compiled'))).toBe(true)
}, 20_000)

test('without a home, or where it is not to be kept, nothing is', () => {
  for (const env of [{}, { HOME: 'here' }, { HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' }])
    expect(start(env)).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(readdirSync(home)).toEqual([])
}, 20_000)
