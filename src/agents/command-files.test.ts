import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findCommands } from './command-files.ts'

let root = ''
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'offshoot-commands-'))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const find = () =>
  findCommands({ project: join(root, 'p'), home: join(root, 'h'), configHome: join(root, 'c') })

test('commands of three programs, the project before the user, under the names that people type', async () => {
  put(
    'p/.claude/commands/git/commit.md',
    '---\ndescription: Commits\nallowed-tools: Bash\n---\nCommit $ARGUMENTS',
  )
  put('p/.opencode/command/git/push.md', '# Push it\nmore')
  put('p/.offshoot/commands/review.md', 'Review it.')
  put('h/.claude/commands/mine.md', '---\ndescription: [no, text]\n---\n\nMine.')
  put('c/opencode/command/other.md', '')
  put('p/.claude/commands/notes.txt', 'no command')
  expect((await find()).map(({ name, format, description }) => [name, format, description])).toEqual([
    ['review', 'offshoot', 'Review it.'],
    ['git:commit', 'claude', 'Commits'],
    ['git/push', 'opencode', 'Push it'],
    ['mine', 'claude', 'Mine.'],
    ['other', 'opencode', ''],
  ])
})

test('a file that cannot be read says why, and hides no other', async () => {
  put('p/.claude/commands/a.md', 'A')
  put('p/.claude/commands/huge.md', 'x'.repeat(2 * 1024 * 1024))
  symlinkSync('/dev/zero', join(root, 'p/.claude/commands/z.md'))
  const found = await find()
  expect(found.map(({ name, problem }) => [name, problem !== null])).toEqual([
    ['a', false],
    ['huge', true],
    ['z', true],
  ])
})

test('a link out of the workspace is refused, one inside of it and those of the user are read', async () => {
  put('secret.txt', 'hunter2')
  put('p/docs/inside.md', 'Inside.')
  put('p/.claude/commands/a.md', 'A')
  put('elsewhere/x.md', 'hunter3')
  put('h/.claude/commands/own.md', 'Own.')
  symlinkSync(join(root, 'secret.txt'), join(root, 'p/.claude/commands/b.md'))
  symlinkSync('../../docs/inside.md', join(root, 'p/.claude/commands/c.md'))
  mkdirSync(join(root, 'p/.offshoot'))
  symlinkSync(join(root, 'elsewhere'), join(root, 'p/.offshoot/commands'))
  symlinkSync(join(root, 'elsewhere/x.md'), join(root, 'h/.claude/commands/x.md'))
  const found = await find()
  expect(found.map(({ name, description, problem }) => [name, description, problem])).toEqual([
    ['', '', 'it is a link that leads out of the workspace'],
    ['a', 'A', null],
    ['b', '', 'it is a link that leads out of the workspace'],
    ['c', 'Inside.', null],
    ['own', 'Own.', null],
    ['x', 'hunter3', null],
  ])
})

test('a workspace that is the home directory has each file once', async () => {
  put('.claude/commands/a.md', 'A')
  expect(await findCommands({ project: root, home: root, configHome: root })).toHaveLength(1)
})
