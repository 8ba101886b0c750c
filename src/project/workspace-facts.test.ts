import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readWorkspaceFacts } from './workspace-facts.ts'

let root = ''
beforeEach(() => (root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-facts-')))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const put = (path: string, text: string) => writeFileSync(join(root, path), text)
const make = (path: string) => mkdirSync(join(root, path), { recursive: true })

test('a plain directory: its entries, no version control, no notes', () => {
  make('src')
  put('b.txt', '')
  put('a.txt', '')
  expect(readWorkspaceFacts(root)).toEqual({ root, vcs: null, entries: ['a.txt', 'b.txt', 'src/'] })
})

test('the branch is that of the repository, from anywhere in it', () => {
  make('.git')
  make('deep/er')
  put('.git/HEAD', 'ref: refs/heads/feature/x\n')
  expect(readWorkspaceFacts(join(root, 'deep/er')).vcs!.branch).toBe('feature/x')
  put('.git/HEAD', '4b825dc642cb6eb9a060e54bf8d69288fbee4904\n')
  expect(readWorkspaceFacts(root).vcs!.branch).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904')
})

test.each([
  ['absolute', () => join(root, 'main/.git/worktrees/w')],
  ['relative', () => '../main/.git/worktrees/w'],
])('a worktree, whose .git is a file with an %s path', (_, place) => {
  make('main/.git/worktrees/w')
  put('main/.git/worktrees/w/HEAD', 'ref: refs/heads/side\n')
  make('w')
  put('w/.git', `gitdir: ${place()}\r\n`)
  expect(readWorkspaceFacts(join(root, 'w')).vcs!.branch).toBe('side')
})

test('a .git that is none, or broken, is no version control', () => {
  put('.git', 'nonsense')
  expect(readWorkspaceFacts(root).vcs).toBeNull()
  rmSync(join(root, '.git'))
  make('.git')
  expect(readWorkspaceFacts(root).vcs).toBeNull()
  symlinkSync(join(root, 'loop'), join(root, 'loop'))
  symlinkSync(join(root, 'loop'), join(root, '.git/HEAD'))
  expect(readWorkspaceFacts(root).vcs).toBeNull()
})

test('the nearest notes count, AGENTS.md before CLAUDE.md, up to the top of the repository', () => {
  make('.git')
  put('.git/HEAD', 'ref: refs/heads/main\n')
  make('a/b')
  put('AGENTS.md', 'top')
  expect(readWorkspaceFacts(join(root, 'a/b')).notes).toEqual({ path: join(root, 'AGENTS.md'), text: 'top' })
  put('a/CLAUDE.md', 'nearer')
  expect(readWorkspaceFacts(join(root, 'a/b')).notes!.text).toBe('nearer')
  put('a/AGENTS.md', 'ours')
  expect(readWorkspaceFacts(join(root, 'a/b')).notes!.text).toBe('ours')
})

test('notes above the repository, and above a directory without one, are nobody’s', () => {
  put('AGENTS.md', 'a stranger’s')
  make('repo/.git')
  put('repo/.git/HEAD', 'ref: refs/heads/main\n')
  make('repo/src')
  make('plain')
  expect(readWorkspaceFacts(join(root, 'repo/src')).notes).toBeUndefined()
  expect(readWorkspaceFacts(join(root, 'plain')).notes).toBeUndefined()
})

test('what is no readable file of notes is passed over, without waiting', () => {
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, 'AGENTS.md')])
  put('CLAUDE.md', 'readable')
  expect(readWorkspaceFacts(root).notes!.text).toBe('readable')
  rmSync(join(root, 'AGENTS.md'))
  make('AGENTS.md')
  expect(readWorkspaceFacts(root).notes!.text).toBe('readable')
  rmSync(join(root, 'AGENTS.md'), { recursive: true })
  symlinkSync('/dev/zero', join(root, 'AGENTS.md'))
  expect(readWorkspaceFacts(root).notes!.text).toBe('readable')
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, '.git')])
  expect(readWorkspaceFacts(root).vcs).toBeNull()
})

test('of huge notes only the beginning is read', () => {
  put('AGENTS.md', 'x'.repeat(50 * 1024 * 1024))
  expect(readWorkspaceFacts(root).notes!.text).toHaveLength(64 * 1024)
})

test('a directory that cannot be listed has no entries', () => {
  make('closed')
  chmodSync(join(root, 'closed'), 0o000)
  const { entries, vcs } = readWorkspaceFacts(join(root, 'closed/in'))
  expect({ entries, vcs }).toEqual({ entries: [], vcs: null })
  chmodSync(join(root, 'closed'), 0o700)
})

test('notes that are a link out of the repository, or to what is guarded, are none; a link within it is', () => {
  make('repo/.git')
  make('repo/sub')
  put('repo/.git/HEAD', 'ref: refs/heads/main\n')
  put('secret', 'private')
  put('repo/.env', 'KEY=1')
  put('repo/CONTRIBUTING.md', 'ours')
  const linked = (target: string) => {
    rmSync(join(root, 'repo/sub/AGENTS.md'), { force: true })
    symlinkSync(target, join(root, 'repo/sub/AGENTS.md'))
    return readWorkspaceFacts(join(root, 'repo/sub')).notes?.text
  }
  expect(['../../secret', join(root, 'secret'), '../.env', '../.git/HEAD'].map(linked)).toEqual(
    Array(4).fill(undefined),
  )
  symlinkSync('../..', join(root, 'repo/sub/up'))
  expect(linked('up/secret')).toBeUndefined()
  expect(linked('../CONTRIBUTING.md')).toBe('ours')
})

test.each(['password\n', 'ref: refs/heads/x\nsecond line\n', 'ref: /etc/passwd\n', 'abc123\n', ''])(
  'of a file HEAD of another shape nothing is told: %j',
  (text) => {
    make('elsewhere')
    make('repo')
    put('elsewhere/HEAD', text)
    put('repo/.git', `gitdir: ${join(root, 'elsewhere')}\n`)
    expect(readWorkspaceFacts(join(root, 'repo')).vcs).toBeNull()
  },
)
