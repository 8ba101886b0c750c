import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { protect } from './protected-paths.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-test-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (name: string) => join(root, name)

function write(name: string, text = 'x'): string {
  mkdirSync(dirname(at(name)), { recursive: true })
  writeFileSync(at(name), text)
  return at(name)
}

const from = (moved: readonly { readonly from: string }[]) => moved.map((each) => each.from)

test('what is there is read-only, and the directories around it keep their names', () => {
  for (const name of [
    '.git/config',
    '.git/hooks/pre-commit',
    'offshoot.jsonc',
    '.claude/agents/a.md',
    '.github/agents/b.md',
    'src/a.ts',
  ])
    write(name)
  const { readOnly, pinned } = protect([root])
  expect(readOnly.toSorted()).toEqual(
    ['.claude', '.git/config', '.git/hooks', '.github/agents', 'offshoot.jsonc'].map(at).toSorted(),
  )
  expect(pinned.toSorted()).toEqual([at('.git'), at('.github')])
})

test.each([
  'offshoot.jsonc',
  '.git/config',
  '.offshoot/agents/a.md',
  '.claude/settings.json',
  '.mcp.json',
  '.github/hooks/x.json',
  '.GIT/config',
])('what appears gets another name: %s', (name) => {
  const protection = protect([root])
  expect(protection.moveAway()).toEqual([])
  write('src/a.ts')
  write(name)
  const top = at(name.split('/')[0]!)
  expect(protection.moveAway()).toEqual([{ from: top, to: `${top}.quarantined-1` }])
  expect(protection.appeared()).toEqual([])
  write(name)
  expect(protection.moveAway()).toEqual([{ from: top, to: `${top}.quarantined-2` }])
})

test('parts of a repository that are not there are looked for', () => {
  write('.git/config')
  const protection = protect([root])
  for (const part of ['commondir', 'config.worktree', 'hooks/pre-commit', 'modules/m/config'])
    write(`.git/${part}`)
  expect(from(protection.moveAway()).toSorted()).toEqual(
    ['commondir', 'config.worktree', 'hooks', 'modules'].map((part) => at(`.git/${part}`)).toSorted(),
  )
  write('.github/workflows/ci.yml')
  expect(protection.moveAway()).toEqual([])
})

test('what is renamed is not read under its new name, and one that cannot be renamed keeps none of the others', () => {
  const protection = protect([root])
  const long = `.git${'\u200b'.repeat(80)}`
  for (const name of [long, '.git:x', '.mcp.json', '.claude/a']) write(name)
  expect(protection.moveAway()).toHaveLength(4)
  expect(protection.appeared()).toEqual([])
  expect(readdirSync(root).toSorted()).toEqual([
    '.claude.quarantined-1',
    '.mcp.json.quarantined-1',
    'quarantined-1',
    'quarantined-2',
  ])
})

test('files that make a repository of the directory are moved away, also beside a .git', () => {
  write('.git/config')
  const protection = protect([root])
  for (const name of ['HEAD', 'config', 'objects/x']) write(name)
  expect(protection.appeared()).toEqual([])
  write('refs/x')
  expect(from(protection.moveAway())).toEqual([at('HEAD')])
  for (const name of ['HEAD', 'commondir']) write(name)
  expect(from(protection.moveAway())).toEqual([at('HEAD')])
})

test('a repository that is the directory, or in it under another name, is protected', () => {
  for (const name of ['HEAD', 'config', 'objects/x', 'refs/x', 'hooks/x']) write(name)
  const bare = protect([root])
  expect(bare.readOnly).toEqual(['config', 'hooks'].map(at))
  write('commondir')
  expect(from(bare.moveAway())).toEqual([at('commondir')])

  for (const name of ['HEAD', 'config', 'objects/x', 'refs/x']) write(`work/.bare/${name}`)
  write('work/.git', 'gitdir: ./.bare\n')
  const { readOnly, pinned } = protect([at('work')])
  expect(readOnly).toEqual([at('work/.git'), at('work/.bare/config')])
  expect(pinned).toEqual([at('work/.bare')])
})

test('a symlink that was exchanged is put back', () => {
  write('settings.jsonc')
  symlinkSync('settings.jsonc', at('offshoot.jsonc'))
  const protection = protect([root])
  expect(protection.moveAway()).toEqual([])
  rmSync(at('offshoot.jsonc'))
  write('offshoot.jsonc', '{"permissions": []}')
  expect(from(protection.moveAway())).toEqual([at('offshoot.jsonc')])
  expect(readlinkSync(at('offshoot.jsonc'))).toBe('settings.jsonc')
  rmSync(at('offshoot.jsonc'))
  expect(protection.moveAway()).toEqual([])
  expect(readlinkSync(at('offshoot.jsonc'))).toBe('settings.jsonc')
})

test('a file that has another name cannot be protected', () => {
  linkSync(write('other.jsonc'), at('offshoot.jsonc'))
  expect(() => protect([root])).toThrow(/offshoot\.jsonc cannot be protected: the file has another name too/)
})

test('a linked worktree has its repository, which says so too; another one does not', () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: at('main') })
  mkdirSync(at('main'))
  git('init', '--quiet')
  git('commit', '--quiet', '--allow-empty', '-m', 'a')
  for (const name of ['linked', 'other', 'main/inside']) git('worktree', 'add', '--quiet', at(name))
  const others = (...directories: string[]) =>
    protect(directories.map(at)).readOnly.filter((path) => /worktrees\/\w+$/.test(path))
  expect(others('main')).toEqual(['linked', 'other'].map((name) => at(`main/.git/worktrees/${name}`)))
  expect(others('linked')).toEqual(['inside', 'other'].map((name) => at(`main/.git/worktrees/${name}`)))
  expect(others('main', 'other')).toEqual([at('main/.git/worktrees/linked')])
  const { repositories, readOnly, pinned } = protect([at('linked')])
  expect(repositories).toEqual([at('main/.git')])
  expect(readOnly).toEqual(
    expect.arrayContaining([at('linked/.git'), at('main/.git/config'), at('main/.git/hooks')]),
  )
  expect(pinned).toEqual(expect.arrayContaining([at('main/.git'), at('main/.git/worktrees/linked')]))
  renameSync(at('linked'), at('stolen'))
  expect(protect([at('stolen')]).repositories).toEqual([])
  expect(existsSync(at('stolen/.git'))).toBe(true)
})
