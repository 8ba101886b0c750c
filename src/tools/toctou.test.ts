import { mkdir, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callText, temporaryDirectory, testContext } from './fixtures/context.ts'
import { openDirectory, openFile } from './open-file.ts'
import type { ResolvedPath } from './port.ts'
import { createWorkspace } from './workspace.ts'
import { replaceFile } from './write-file.ts'

/** An attacker's changes between decision and use. */
const swaps = {
  directory: async (base: string) => {
    await rename(join(base, 'repo/src'), join(base, 'repo/old'))
    await symlink('../outside', join(base, 'repo/src'))
  },
  file: async (base: string) => {
    await rm(join(base, 'repo/src/a.ts'))
    await symlink('../../outside/a.ts', join(base, 'repo/src/a.ts'))
  },
}

async function scene() {
  const base = await temporaryDirectory()
  await mkdir(join(base.path, 'repo/src'), { recursive: true })
  await mkdir(join(base.path, 'outside'))
  await writeFile(join(base.path, 'repo/src/a.ts'), 'inside')
  await writeFile(join(base.path, 'outside/a.ts'), 'secret')
  const root = join(base.path, 'repo')
  return { base, root, target: createWorkspace(root).resolve('src/a.ts') }
}

async function outside(base: string): Promise<Record<string, string>> {
  const names = await readdir(join(base, 'outside'))
  const texts = await Promise.all(names.map((name) => readFile(join(base, 'outside', name), 'utf8')))
  return Object.fromEntries(names.map((name, index) => [name, texts[index]!]))
}

test.each(Object.entries(swaps))('a %s swapped for a link is not opened', async (_, swap) => {
  const { base, target } = await scene()
  await using _base = base
  await swap(base.path)
  await expect(openFile(target)).rejects.toMatchObject({ code: 'path_changed' })
})

test('a directory swapped for a link is neither written nor listed', async () => {
  const { base, root, target } = await scene()
  await using _base = base
  const directory = createWorkspace(root).resolve('src')
  await swaps.directory(base.path)
  const context = testContext(root)
  await expect(replaceFile(target, { bytes: Buffer.from('evil') }, context)).rejects.toMatchObject({
    code: 'path_changed',
  })
  await expect(openDirectory(directory.absolute, 'src')).rejects.toMatchObject({ code: 'path_changed' })
  expect(await outside(base.path)).toEqual({ 'a.ts': 'secret' })
})

test('a new file is never written through a planted link', async () => {
  const { base, root } = await scene()
  await using _base = base
  const target = createWorkspace(root).resolve('new.txt')
  await symlink('../outside/new.txt', join(root, 'new.txt'))
  await replaceFile(target, { bytes: Buffer.from('text') }, testContext(root))
  expect(await outside(base.path)).toEqual({ 'a.ts': 'secret' })
  expect(await readFile(join(root, 'new.txt'), 'utf8')).toBe('text')
})

test('a missing directory that became a link is not followed', async () => {
  const { base, root } = await scene()
  await using _base = base
  const target = createWorkspace(root).resolve('made/deep/new.txt')
  await symlink('../outside', join(root, 'made'))
  await expect(replaceFile(target, { bytes: Buffer.from('evil') }, testContext(root))).rejects.toMatchObject({
    code: 'path_changed',
  })
  expect(await outside(base.path)).toEqual({ 'a.ts': 'secret' })
})

test.each([
  ['read', { file_path: 'src/a.ts' }],
  ['write', { file_path: 'src/a.ts', content: 'evil' }],
  ['edit', { file_path: 'src/a.ts', old_string: 'secret', new_string: 'evil' }],
  ['list', { path: 'src' }],
  ['grep', { path: 'src', pattern: 'secret' }],
  ['glob', { path: 'src', pattern: '*' }],
])('%s refuses a path whose target has changed since the decision', async (name, input) => {
  const { base, root } = await scene()
  await using _base = base
  const before = createWorkspace(root)
  const decidedPaths: ResolvedPath[] = [before.resolve('src'), before.resolve('src/a.ts')]
  await swaps.directory(base.path)
  const context = testContext(root, { decidedPaths })
  await expect(callText(name, input, context)).rejects.toMatchObject({ code: 'path_changed' })
  expect(await outside(base.path)).toEqual({ 'a.ts': 'secret' })
})
