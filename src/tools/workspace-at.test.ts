import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Workspace } from './port.ts'
import { workspaceAt } from './workspace-at.ts'
import { createWorkspace } from './workspace.ts'

let base = ''
let whole: Workspace
let root = ''
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-at-')))
  root = join(base, 'w')
  mkdirSync(join(root, 'pkg/a/.git'), { recursive: true })
  mkdirSync(join(base, 'out'))
  writeFileSync(join(root, 'pkg/a/x.ts'), '')
  symlinkSync(join(base, 'out'), join(root, 'pkg/a/link'))
  symlinkSync('..', join(root, 'pkg/a/up'))
  whole = createWorkspace(root)
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const at = (path: string, directory = join(root, 'pkg/a')) => workspaceAt(whole, directory).resolve(path)

test.each<[string, string, string, boolean]>([
  ['.', 'pkg/a', '.', false],
  ['', 'pkg/a', '.', false],
  ['x.ts', 'pkg/a/x.ts', 'x.ts', false],
  ['new/y.ts', 'pkg/a/new/y.ts', 'new/y.ts', false],
  ['..', 'pkg', '', false],
  ['../../b.ts', 'b.ts', '', false],
  ['up/b.ts', 'pkg/b.ts', '', false],
  ['../../../out', '../out', '', true],
  ['link/z', '../out/z', '', true],
])('%j resolves to %j', (path, expected, name, outside) => {
  const absolute = join(root, expected)
  expect(at(path)).toMatchObject({ absolute, relative: name || absolute, outside })
})

test('absolute paths, home paths, URLs and invalid paths resolve as in the workspace', () => {
  expect(at(join(root, 'pkg/a/x.ts'))).toMatchObject({ relative: 'x.ts', outside: false })
  expect(at(`file://${root}/pkg/a/x.ts`)).toMatchObject({ relative: 'x.ts', outside: false })
  expect(at('~/x')).toMatchObject({ absolute: join(homedir(), 'x'), outside: true })
  expect(at('a\0b').outside).toBe(true)
})

test('guarded files stay guarded', () => {
  expect(at('.git/config').guarded).toBe('git')
  expect(at('.env').guarded).toBe('secret')
})

test('files of a directory outside the workspace stay outside', () => {
  const out = join(base, 'out')
  expect(at('.', out)).toMatchObject({ absolute: out, relative: '.', outside: true })
  expect(at('z', out)).toMatchObject({ relative: 'z', outside: true })
  expect(at('../w/pkg', out)).toMatchObject({ absolute: join(root, 'pkg'), outside: false })
})

test('the directory is its target, so that commands run where they were decided to run', () => {
  expect(workspaceAt(whole, 'pkg/a')).toMatchObject({ root: join(root, 'pkg/a'), top: root })
  expect(workspaceAt(whole, join(root, 'pkg/a/link')).root).toBe(join(base, 'out'))
  expect(at('z', join(root, 'pkg/a/link'))).toMatchObject({ relative: 'z', outside: true })
})

test('for any directory, exactly the paths outside the workspace are outside', () => {
  const names = fc.array(fc.constantFrom('..', '.', 'pkg', 'a', 'up', 'link', 'x.ts', 'out', 'w', ''), {
    maxLength: 8,
  })
  const directories = fc.constantFrom('w', 'w/pkg', 'w/pkg/a', 'out', '')
  fc.assert(
    fc.property(directories, names, (directory, path) => {
      const { absolute, outside } = at(path.join('/'), join(base, directory))
      const inside = absolute === root || absolute.startsWith(`${root}/`)
      if (!inside) expect(outside).toBe(true)
      expect(whole.resolve(absolute).absolute).toBe(absolute)
    }),
  )
})
