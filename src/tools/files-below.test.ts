import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { filesBelow } from './files-below.ts'
import { createWorkspace } from './workspace.ts'

let base = ''
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'below-'))
})
afterEach(() => rmSync(base, { recursive: true }))

function write(path: string) {
  mkdirSync(dirname(join(base, path)), { recursive: true })
  writeFileSync(join(base, path), '')
}

const below = (path: string, limit?: number, levels?: number) => {
  const workspace = createWorkspace(join(base, 'repo'))
  return filesBelow(workspace, join(workspace.root, path), { limit, levels })
}

test('lists the files below a directory with their guards', () => {
  for (const path of ['repo/src/a.ts', 'repo/src/.env', 'repo/.git/config', 'repo/node_modules/x/k.pem'])
    write(path)
  expect(below('.')?.map(({ relative, guarded }) => [relative, guarded])).toEqual(
    expect.arrayContaining([
      ['src/a.ts', null],
      ['src/.env', 'secret'],
    ]),
  )
  expect(below('.')).toHaveLength(2)
  expect(below('src/a.ts')).toEqual([])
  expect(below('missing')).toEqual([])
})

test('lists no more levels than are asked for', () => {
  for (const path of ['repo/a', 'repo/src/b', 'repo/src/sub/c']) write(path)
  const names = (levels: number) => below('.', undefined, levels)?.map(({ relative }) => relative)
  expect(names(1)).toEqual(['a'])
  expect(names(2)?.toSorted()).toEqual(['a', 'src/b'])
})

test('reports the target of a link without following it', () => {
  write('repo/a')
  write('outside/b')
  symlinkSync(join(base, 'outside'), join(base, 'repo/link'))
  expect(below('.')?.filter(({ outside }) => outside)).toMatchObject([{ absolute: join(base, 'outside') }])
})

test('returns null above the limit of entries', () => {
  for (const name of ['a', 'b', 'c']) write(`repo/${name}`)
  expect(below('.', 3)).toHaveLength(3)
  expect(below('.', 2)).toBeNull()
})
