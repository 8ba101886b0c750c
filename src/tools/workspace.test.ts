import { realpathSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryDirectory } from './fixtures/context.ts'
import { createWorkspace } from './workspace.ts'

async function repository() {
  const base = await temporaryDirectory()
  const root = join(base.path, 'repo')
  await mkdir(join(root, 'src/deep'), { recursive: true })
  await mkdir(join(root, '.git/hooks'), { recursive: true })
  await mkdir(join(base.path, 'outside/deep'), { recursive: true })
  await writeFile(join(root, 'src/a.ts'), 'x')
  await writeFile(join(base.path, 'outside/secret'), 's')
  await symlink('../../outside/deep', join(root, 'src/link'))
  await symlink('src', join(root, 'inlink'))
  await symlink('loop', join(root, 'loop'))
  await symlink(root, join(base.path, 'entry'))
  return {
    base,
    root,
    workspace: createWorkspace(join(base.path, 'entry'), { home: join(base.path, 'home') }),
  }
}

test('paths inside are relative to the real root, however they are spelled', async () => {
  const { base, root, workspace } = await repository()
  await using _ = base
  expect(workspace.root).toBe(root)
  const inside = { absolute: join(root, 'src/a.ts'), relative: 'src/a.ts', outside: false, guarded: null }
  for (const path of [
    'src/a.ts',
    './src//a.ts',
    'inlink/a.ts',
    `${root}/src/a.ts`,
    `${base.path}/entry/src/a.ts`,
    `file://${root}/src/a.ts`,
  ]) {
    expect(workspace.resolve(path)).toEqual(inside)
  }
  expect(workspace.resolve('')).toMatchObject({ relative: '.', outside: false })
  expect(workspace.resolve('new/dir/file')).toMatchObject({ relative: 'new/dir/file', outside: false })
})

test('paths that leave the workspace or cannot be followed are outside', async () => {
  const { base, root, workspace } = await repository()
  await using _ = base
  const paths = [
    '..',
    '../outside/secret',
    'src/link',
    'src/link/../secret',
    'new/../../outside',
    '/',
    '/etc/passwd',
    `${root}-evil/x`,
    '~',
    '~/x',
    'file:///etc/passwd',
    'file://other host/x',
    'loop',
    'loop/x',
    'src/a.ts/',
    'src/a.ts/x',
    'a\0b',
    'x/'.repeat(4_000),
    'y'.repeat(300),
    '/dev/null',
    '/proc/self/cwd/src/a.ts',
    '/proc/self/root',
    '/proc/self/fd/0',
  ]
  for (const path of paths) expect(workspace.resolve(path), path).toMatchObject({ outside: true })
  expect(workspace.resolve('/proc/self/cwd/x')).toMatchObject({ ownView: true })
  expect(workspace.resolve('src/link/../secret').absolute).toBe(join(base.path, 'outside/secret'))
})

test('names are not expanded, and unusual names stay as they are', async () => {
  const { base, workspace } = await repository()
  await using _ = base
  for (const path of [
    '$HOME/x',
    '~other/x',
    '\u202etxt.exe',
    'a b',
    'https://example.com/x',
    'C:\\x',
    '-rf',
    '…/..a',
  ]) {
    expect(workspace.resolve(path), path).toMatchObject({ outside: false, guarded: null })
  }
})

test.each([
  [
    'git',
    '.git',
    '.git/config',
    '.GIT/hooks/x',
    'sub/.git',
    '.git./x',
    'git~1/config',
    '.g\u200bit/config',
    '.git::$INDEX_ALLOCATION/x',
    'src/../.git/x',
  ],
  [
    'config',
    'offshoot.jsonc',
    '.offshoot/agents/a.md',
    '.oFFshoot/x',
    '.claude/settings.json',
    'sub/.mcp.json',
    'opencode.json',
    '.github/agents/a.md',
    '.husky/pre-commit',
    '.vscode/tasks.json',
    '.bashrc',
    '.gitconfig',
  ],
  [
    'secret',
    '.env',
    '.env.local',
    'sub/.ENV',
    'id_rsa',
    'deploy/key.pem',
    'tls/server.key',
    '.npmrc',
    '.netrc',
    '.ssh/config',
    '/proc/1/environ',
    '/etc/shadow',
  ],
])('%s files are guarded', async (kind, ...paths) => {
  const { base, workspace } = await repository()
  await using _ = base
  for (const path of paths) expect(workspace.resolve(path), path).toMatchObject({ guarded: kind })
})

test('names that only resemble guarded ones are not guarded', async () => {
  const { base, workspace } = await repository()
  await using _ = base
  const paths = [
    'src/.gitignore',
    '.gitattributes',
    '.github/workflows/ci.yml',
    'AGENTS.md',
    'CLAUDE.md',
    'git/config',
    'my.git',
    'env.ts',
    'id_rsa.pub',
    'src/credentials/index.ts',
    'claude/x',
    'keys.ts',
  ]
  for (const path of paths)
    expect(workspace.resolve(path), path).toMatchObject({ guarded: null, outside: false })
})

test('a link is guarded by its name and by its target', async () => {
  const { base, root, workspace } = await repository()
  await using _ = base
  await symlink('.git/hooks', join(root, 'safe'))
  await symlink('src', join(root, '.husky'))
  expect(workspace.resolve('safe/pre-commit').guarded).toBe('git')
  expect(workspace.resolve('.husky/pre-commit').guarded).toBe('config')
})

test('names above the root are ignored, and own directories count as configuration', async () => {
  const { base, root } = await repository()
  await using _ = base
  const nested = join(root, '.claude/worktrees/one')
  await mkdir(nested, { recursive: true })
  const workspace = createWorkspace(nested, { ownDirectories: [join(base.path, 'data'), root] })
  expect(workspace.resolve('src/a.ts').guarded).toBeNull()
  expect(workspace.resolve(join(nested, 'src/a.ts')).guarded).toBeNull()
  expect(workspace.resolve(join(base.path, 'data/token')).guarded).toBe('config')
})

test('resolves as the system does, and never throws', async () => {
  const { base, root, workspace } = await repository()
  await using _ = base
  const name = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '',
      'src',
      'a.ts',
      'link',
      'inlink',
      'deep',
      'loop',
      '.git',
      'missing',
      '~',
      '\ud800',
    ),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(name, { maxLength: 8 }), (names) => {
      const path = names.join('/')
      const resolved = workspace.resolve(path)
      const real = realPath(root, path)
      if (real !== undefined) expect(resolved.absolute).toBe(real)
      const inside = resolved.absolute === root || resolved.absolute.startsWith(`${root}/`)
      expect(resolved.outside || inside).toBe(true)
    }),
    { numRuns: 500 },
  )
})

function realPath(root: string, path: string): string | undefined {
  if (path === '' || path.startsWith('~')) return undefined
  try {
    return realpathSync.native(path.startsWith('/') ? path : `${root}/${path}`)
  } catch {
    return undefined
  }
}

test('a root that is not a directory is refused', async () => {
  await using base = await temporaryDirectory()
  await writeFile(join(base.path, 'file'), '')
  expect(() => createWorkspace(join(base.path, 'file'))).toThrow(/not a directory/)
  expect(() => createWorkspace(join(base.path, 'missing'))).toThrow(/there is no directory .*missing/)
})
