import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findNotesFor, readWorkspaceFacts } from './workspace-facts.ts'

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

test('GEMINI.md stands in where there is no other', () => {
  put('GEMINI.md', 'theirs')
  expect(readWorkspaceFacts(root).notes).toEqual({ path: join(root, 'GEMINI.md'), text: 'theirs' })
  put('CLAUDE.md', 'first')
  expect(readWorkspaceFacts(root).notes!.text).toBe('first')
})

test('the notes of directories below are named, one of each, and none of other people’s', () => {
  for (const path of ['a/deep/er/est', 'b', 'node_modules/x', '.hidden', 'plain']) make(path)
  for (const path of ['AGENTS.md', 'b/AGENTS.md', 'b/CLAUDE.md', 'a/deep/GEMINI.md']) put(path, 'x')
  for (const path of ['node_modules/x/AGENTS.md', '.hidden/AGENTS.md', 'a/deep/er/est/AGENTS.md'])
    put(path, 'x')
  expect(readWorkspaceFacts(root).nestedNotes).toEqual(['b/AGENTS.md', 'a/deep/GEMINI.md'])
})

describe('imports of CLAUDE.md', () => {
  const notes = () => readWorkspaceFacts(root).notes!.text

  test('follow the notes, nested ones and links to the same file once', () => {
    make('docs')
    put('CLAUDE.md', 'See @docs/style.md, (@docs/a.md) and @docs/a.md.')
    put('docs/style.md', 'Use tabs. @../README')
    put('docs/a.md', 'More.')
    put('README', 'The readme.')
    expect(notes().split('\n\n').slice(1)).toEqual([
      '(CLAUDE.md imports docs/style.md:)\nUse tabs. @../README',
      '(docs/style.md imports ../README:)\nThe readme.',
      '(CLAUDE.md imports docs/a.md:)\nMore.',
    ])
  })

  test('are none in code, in an address, in a word, and in AGENTS.md', () => {
    put('a.md', 'imported')
    const text = 'run `cat @a.md`, ``x ` @a.md``\n```sh\n@a.md\n```\n~~~\n@a.md\n~~~\nme@a.md and @team'
    put('CLAUDE.md', text)
    expect(notes()).toBe(text)
    rmSync(join(root, 'CLAUDE.md'))
    put('AGENTS.md', '@a.md')
    expect(notes()).toBe('@a.md')
  })

  test('are named with the reason where they leave the workspace, are guarded or missing', () => {
    make('repo/.git')
    put('secret.md', 'private')
    put('repo/.git/HEAD', 'ref: refs/heads/main\n')
    put('repo/.env', 'KEY=private')
    symlinkSync('../secret.md', join(root, 'repo/link.md'))
    put('repo/CLAUDE.md', `@../secret.md @link.md @/etc/passwd @.env @~/.ssh/id_rsa @none.md`)
    const { text } = readWorkspaceFacts(join(root, 'repo')).notes!
    expect(text).not.toContain('private')
    const reasons = [...text.matchAll(/imports (\S+), which was not read: (.*)\)/g)].map(([, path, why]) => [
      path,
      why,
    ])
    const outside = 'it is outside the workspace'
    expect(reasons).toEqual([
      ['../secret.md', outside],
      ['link.md', outside],
      ['/etc/passwd', outside],
      ['.env', 'files of this kind are read only with your approval'],
      ['~/.ssh/id_rsa', 'a project does not import files of your home directory'],
      ['none.md', 'there is no such file'],
    ])
  })

  test('of a directory in a repository lead out of neither it nor the workspace', () => {
    make('.git')
    make('sub')
    put('.git/HEAD', 'ref: refs/heads/main\n')
    put('private.md', 'private')
    put('sub/CLAUDE.md', '@../private.md')
    const { text } = readWorkspaceFacts(join(root, 'sub')).notes!
    expect(text).toContain('../private.md, which was not read: it is outside the workspace')
    put('shared.md', 'shared')
    put('CLAUDE.md', '@shared.md')
    rmSync(join(root, 'sub/CLAUDE.md'))
    expect(readWorkspaceFacts(join(root, 'sub')).notes!.text).toContain('shared.md:)\nshared')
  })

  test('take no time that grows faster than the text', () => {
    put('CLAUDE.md', `@a${'.'.repeat(60_000)}x`)
    const before = process.cpuUsage()
    notes()
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(1_000)
  })

  test('name a cycle, and end five files deep', () => {
    put('CLAUDE.md', '@a.md @1.md')
    put('a.md', '@b.md')
    put('b.md', '@a.md')
    for (const n of [1, 2, 3, 4, 5, 6]) put(`${n}.md`, `${n} @${n + 1}.md`)
    expect(notes()).toContain(
      '(b.md imports a.md, which was not read: it imports itself: a.md > b.md > a.md)',
    )
    expect(notes()).toContain('(5.md imports 6.md, which was not read: imports nest at most 5 files deep)')
  })

  test('are bounded, however many there are', () => {
    for (let n = 0; n < 10; n++) put(`${n}.md`, 'x'.repeat(30_000))
    put('CLAUDE.md', [...Array(10).keys()].map((n) => `@${n}.md`).join(' '))
    expect(notes().length).toBeLessThan(150_000)
    expect(notes()).toContain('earlier imports used up the space for notes')
  })

  test('that are not read are named once each, and only counted from the twentieth on', () => {
    put('a.md', 'A')
    const missing = [...Array(1_000).keys()].map((n) => `@none${n}.md`)
    put('CLAUDE.md', `@a.md @CLAUDE.md ${'@~/.netrc @CLAUDE.md @team '.repeat(200)} ${missing.join(' ')}`)
    const text = notes().slice(notes().indexOf('(CLAUDE.md imports a.md:)'))
    expect(text.match(/which was not read: /g)).toHaveLength(20)
    expect(text.match(/which was not read: it imports itself/g)).toHaveLength(1)
    expect(text.match(/imports ~\/.netrc, which was not read/g)).toHaveLength(1)
    expect(text).not.toContain('team')
    expect(text).toMatch(/\n\n\(and 982 more imports were not read\)$/)
  })

  test('are found quickly in a text made to be slow', () => {
    put('CLAUDE.md', '` '.repeat(32_000))
    const start = performance.now()
    expect(notes()).toHaveLength(64_000)
    expect(performance.now() - start).toBeLessThan(2_000)
  })
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

describe('the notes that count for a file', () => {
  const below = (file: string, directory = '') => {
    const found = findNotesFor(join(root, file), join(root, directory), root)
    return found && [relative(root, found.path), found.read()]
  }

  test('are the nearest, and none that the first context has', () => {
    make('a/b/c')
    put('AGENTS.md', 'top')
    expect(below('a/b/c/x.ts')).toBeUndefined()
    put('a/CLAUDE.md', 'a @b/more.md')
    put('a/b/more.md', 'more')
    expect(below('a/b/c/x.ts')).toEqual([
      'a/CLAUDE.md',
      'a @b/more.md\n\n(CLAUDE.md imports b/more.md:)\nmore',
    ])
    put('a/b/AGENTS.md', 'b')
    expect(below('a/b/c/x.ts')).toEqual(['a/b/AGENTS.md', 'b'])
    expect(below('x.ts')).toBeUndefined()
  })

  test('of an agent that works below: of directories beside it alone', () => {
    make('a/b')
    make('z')
    for (const directory of ['a', 'a/b', 'z']) put(`${directory}/AGENTS.md`, directory)
    expect(below('a/b/x.ts', 'a/b')).toBeUndefined()
    expect(below('a/x.ts', 'a/b')).toBeUndefined()
    expect(below('z/x.ts', 'a/b')).toEqual(['z/AGENTS.md', 'z'])
  })

  test('are not those of other people’s files, of what is guarded, or from outside of the workspace', () => {
    for (const directory of ['node_modules/x', '.venv/x', 'vendor', 'own']) make(directory)
    for (const directory of ['node_modules/x', '.venv/x', 'vendor']) {
      put(`${directory}/AGENTS.md`, 'strange')
      expect(below(`${directory}/x.js`)).toBeUndefined()
    }
    symlinkSync('/etc/hostname', join(root, 'own/AGENTS.md'))
    put('own/CLAUDE.md', '@../../beside.md')
    expect(below('own/x.ts')![1]).toContain('which was not read: it is outside the workspace')
    expect(below('../x.ts')).toBeUndefined()
  })
})
