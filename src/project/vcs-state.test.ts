import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readVcsState } from './vcs-state.ts'

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-vcs-')))
  git('init', '-q', '-b', 'main')
  put('a.txt', 'one\n')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

const put = (path: string, text: string) => writeFileSync(join(root, path), text)
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: root })

test('a directory is clean, or has so many changed files', async () => {
  expect(await readVcsState(root)).toBe('clean')
  put('b.txt', 'new')
  expect(await readVcsState(root)).toBe('1 file changed')
  put('a.txt', 'two\n')
  expect(await readVcsState(root)).toBe('2 files changed')
})

test('what is changed elsewhere in the repository is not counted', async () => {
  mkdirSync(join(root, 'deep'))
  put('deep/c.txt', '')
  git('add', '.')
  git('commit', '-q', '-m', 'second')
  put('a.txt', 'two\n')
  expect(await readVcsState(join(root, 'deep'))).toBe('clean')
})

test('nothing is said of what is no repository, or of a broken one', async () => {
  rmSync(join(root, '.git/HEAD'))
  expect(await readVcsState(root)).toBeUndefined()
  expect(await readVcsState(join(root, 'gone'))).toBeUndefined()
})

test('a git of the workspace is not started, wherever in it a subagent works', async () => {
  const bin = join(root, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  mkdirSync(join(root, 'deep'))
  const started = join(root, '.git/started')
  writeFileSync(join(bin, 'git'), `#!/bin/sh\ntouch '${started}'\n`, { mode: 0o755 })
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']!}`)
  expect(await readVcsState(root)).toBe('1 file changed')
  expect(await readVcsState(join(root, 'deep'), undefined, root)).toBe('clean')
  expect(existsSync(started)).toBe(false)
})

test.each([
  ['a filter', ['filter.x.clean', '%; cat']],
  ['a filter that is needed', ['filter.x.clean', '%; cat', 'filter.x.required', 'true']],
  ['a filter process', ['filter.x.process', '%']],
  ['a filter with a strange name', ['filter.x=y.clean', '%; cat']],
  ['a monitor', ['core.fsmonitor', '%']],
  ['an alias', ['alias.status', '!%']],
])('%s of the repository is not run', async (_, settings) => {
  const ran = join(root, '.git/ran')
  for (let at = 0; at < settings.length; at += 2)
    git('config', settings[at]!, settings[at + 1]!.replace('%', `touch ${ran}`))
  const attribute = settings[0]!.includes('x=y') ? 'x=y' : 'x'
  put('.git/info/attributes', `*.txt filter=${attribute}\n`)
  put('a.txt', 'two\n')
  const state = await readVcsState(root)
  expect(existsSync(ran)).toBe(false)
  expect(['1 file changed', undefined]).toContain(state)
})
