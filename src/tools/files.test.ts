import {
  chmod,
  mkdir,
  open,
  readFile,
  readdir,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
  type FileHandle,
} from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { runProcess } from '../exec/run-process.ts'
import type { ToolContext } from './port.ts'
import {
  call,
  callText,
  temporaryDirectory,
  testContext,
  tool,
  type TemporaryDirectory,
} from './fixtures/context.ts'

async function project(files: Record<string, string | Uint8Array>): Promise<TemporaryDirectory> {
  const directory = await temporaryDirectory()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(directory.path, name, '..'), { recursive: true })
    await writeFile(join(directory.path, name), content)
  }
  return directory
}

test('read numbers the requested lines and reports what is left', async () => {
  await using at = await project({ 'a.txt': '\ufeffone\r\ntwo\nthree\nfour\n', 'empty.txt': '' })
  const context = testContext(at.path)
  expect(await callText('read', { file_path: 'a.txt' }, context)).toBe(
    '     1\tone\n     2\ttwo\n     3\tthree\n     4\tfour',
  )
  expect(await callText('read', { file_path: 'a.txt', offset: 2, limit: 2 }, context)).toBe(
    '     2\ttwo\n     3\tthree\n(lines 2-3 of 4; continue with offset 4)',
  )
  expect(await callText('read', { file_path: 'a.txt', offset: 4 }, context)).toContain('this is the end')
  expect(await callText('read', { file_path: 'empty.txt' }, context)).toBe('(the file is empty)')
  await expect(callText('read', { file_path: 'a.txt', offset: 9 }, context)).rejects.toMatchObject({
    code: 'out_of_range',
  })
})

test('read stops after 2000 lines and cuts long lines', async () => {
  await using at = await project({ 'long.txt': 'x\n'.repeat(2_500), 'wide.txt': `${'y'.repeat(9_000)}\nz` })
  const context = testContext(at.path)
  const long = await callText('read', { file_path: 'long.txt' }, context)
  expect(long.split('\n')).toHaveLength(2_001)
  expect(long).toContain('(lines 1-2000 of 2500; continue with offset 2001)')
  const wide = await callText('read', { file_path: 'wide.txt' }, context)
  expect(wide).toContain('y'.repeat(2_000) + ' [line cut: 9000 characters]\n     2\tz')
})

test('read returns images and PDFs as files, and refuses other binary files with their size', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
  await using at = await project({
    'a.png': png,
    'b.bin': Buffer.from([1, 0, 2]),
    'c.pdf': '%PDF-1.7 x',
    'big.png': Buffer.concat([png, Buffer.alloc(5_000_000)]),
  })
  const context = testContext(at.path)
  const output = await call('read', { file_path: 'a.png' }, context)
  expect(output.files).toEqual([{ mediaType: 'image/png', data: png.toString('base64'), filename: 'a.png' }])
  expect((await call('read', { file_path: 'c.pdf' }, context)).files?.[0]?.mediaType).toBe('application/pdf')
  await expect(callText('read', { file_path: 'b.bin' }, context)).rejects.toThrow(/binary file of 3 bytes/)
  await expect(callText('read', { file_path: 'big.png' }, context)).rejects.toMatchObject({
    code: 'too_large',
  })
})

test('read explains why a path cannot be read', async () => {
  await using at = await project({ 'src/parser.ts': 'x', 'src/other.ts': 'x' })
  await runProcess({ program: 'mkfifo', args: ['pipe'], directory: at.path })
  const context = testContext(at.path)
  await expect(callText('read', { file_path: 'src' }, context)).rejects.toMatchObject({
    code: 'is_directory',
  })
  await expect(callText('read', { file_path: 'pipe' }, context)).rejects.toMatchObject({ code: 'not_a_file' })
  await expect(callText('read', { file_path: '/dev/zero' }, context)).rejects.toMatchObject({
    code: 'not_a_file',
  })
  await expect(callText('read', { file_path: 'src/a\0b' }, context)).rejects.toMatchObject({
    code: 'invalid_path',
  })
  await expect(callText('read', { file_path: 'src/parser.js' }, context)).rejects.toMatchObject({
    code: 'not_found',
    hint: 'Similar: src/parser.ts',
  })
})

test('list shows levels, links and directories', async () => {
  await using at = await project({ 'a/b/c.txt': '', 'a/d.txt': '', 'node_modules/x/y.js': '', '.env': '' })
  await symlink('a', join(at.path, 'link'))
  const context = testContext(at.path)
  expect(await callText('list', {}, context)).toBe('.env\na/\na/b/\na/d.txt\nlink -> a\nnode_modules/')
  expect(await callText('list', { path: 'a', depth: 1 }, context)).toBe('b/\nd.txt')
  expect(await callText('list', { path: 'node_modules' }, context)).toBe('x/\nx/y.js')
  await expect(callText('list', { path: 'a/d.txt' }, context)).rejects.toMatchObject({ code: 'is_file' })
  await expect(callText('list', { path: 'nowhere' }, context)).rejects.toMatchObject({ code: 'not_found' })
})

test('glob finds files by name, newest first, without ignored ones', async () => {
  await using at = await project({
    '.gitignore': 'dist\n*.log\n',
    'old.ts': '',
    'src/new.ts': '',
    'src/deep/x.tsx': '',
    'dist/out.ts': '',
    'src/a.log': '',
    '.github/ci.yml': '',
  })
  await utimes(join(at.path, 'old.ts'), 1, 1)
  await utimes(join(at.path, 'src/new.ts'), 2, 2)
  const context = testContext(at.path)
  const glob = async (input: object) => (await callText('glob', input, context)).split('\n')
  expect(await glob({ pattern: '*.ts' })).toEqual(['src/new.ts', 'old.ts'])
  expect(await glob({ pattern: '*.ts', limit: 1 })).toEqual([
    'src/new.ts',
    '(1 further files; narrow the pattern or raise limit)',
  ])
  expect(await glob({ pattern: 'src/**' })).toEqual(expect.arrayContaining(['src/new.ts', 'src/deep/x.tsx']))
  expect(await glob({ pattern: '**/*' })).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/dist|log/)]),
  )
  expect(await glob({ pattern: '**/*.{tsx,yml}' })).toEqual(
    expect.arrayContaining(['src/deep/x.tsx', '.github/ci.yml']),
  )
  expect(await glob({ pattern: `${at.path}/src/*.ts` })).toEqual(['src/new.ts'])
  expect(await glob({ pattern: 'new.ts', path: 'src' })).toEqual(['src/new.ts'])
  expect(await glob({ pattern: '!src' })).toEqual(['(no file matches)'])
})

test('glob refuses unusable patterns', async () => {
  await using at = await project({ 'a.ts': '' })
  const context = testContext(at.path)
  for (const pattern of ['*/../*', '{..,a}/*', 'a{', 'a\nb']) {
    await expect(callText('glob', { pattern }, context), pattern).rejects.toMatchObject({
      code: 'invalid_pattern',
    })
  }
  await expect(callText('glob', { pattern: '*', path: 'a.ts' }, context)).rejects.toMatchObject({
    code: 'invalid_path',
  })
  await expect(callText('glob', { pattern: '*', path: 'nowhere' }, context)).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('grep has three output modes, context, and names that other tools accept', async () => {
  await using at = await project({
    '.gitignore': 'skip\n',
    'src/a.ts': 'zero\none hit\ntwo\r\n',
    'src/b.md': 'HIT hit\n',
    'skip/c.ts': 'hit',
    'n.bin': 'hit\0',
  })
  const context = testContext(at.path)
  const grep = (input: object) => callText('grep', { pattern: 'hit', ...input }, context)
  expect(await grep({})).toBe('src/a.ts:2:one hit\nsrc/b.md:1:HIT hit')
  expect(await grep({ path: 'src', glob: '*.ts', context: 1 })).toBe(
    'src/a.ts-1-zero\nsrc/a.ts:2:one hit\nsrc/a.ts-3-two',
  )
  expect(await grep({ output_mode: 'files_with_matches' })).toBe('src/a.ts\nsrc/b.md')
  expect(await grep({ output_mode: 'count', ignore_case: true })).toBe('src/a.ts:1\nsrc/b.md:2')
  expect(await grep({ path: 'src/b.md' })).toBe('src/b.md:1:HIT hit')
  expect(await grep({ path: `${at.path}/skip` })).toBe('skip/c.ts:1:hit')
  expect(await grep({ limit: 1 })).toBe(
    'src/a.ts:2:one hit\n(1 further lines; narrow the search or raise limit)',
  )
  expect(await grep({ pattern: '-nothing' })).toBe('(no match)')
})

test('grep skips secrets and links that leave the workspace, unless they are named', async () => {
  await using at = await project({
    'repo/a.ts': 'KEY=1',
    'repo/.env': 'KEY=2',
    'repo/tls/server.key': 'KEY=3',
    'outside/o.ts': 'KEY=4',
  })
  await symlink('../outside', join(at.path, 'repo/up'))
  const context = testContext(join(at.path, 'repo'))
  const text = await callText('grep', { pattern: 'KEY' }, context)
  expect(text).toMatch(/^a\.ts:1:KEY=1\n\(2 files that look like secrets/)
  expect(text).not.toMatch(/KEY=[234]/)
  expect(await callText('grep', { pattern: 'KEY', path: '.env' }, context)).toBe('.env:1:KEY=2')
  expect(await callText('glob', { pattern: '**/*.ts' }, context)).toBe('a.ts')
})

test('grep explains an invalid pattern', async () => {
  await using at = await project({ 'a.ts': 'x' })
  const context = testContext(at.path)
  for (const pattern of ['(', '(?=x)', '(?:a|aa)+b(?=c)\\1{9999}', 'a\\nb']) {
    await expect(callText('grep', { pattern }, context), pattern).rejects.toMatchObject({
      code: 'invalid_pattern',
    })
  }
})

test('a file name with a line feed is one entry and does not appear as a line of another file', async () => {
  const evil = 'x\nsrc/auth.ts:1:hit'
  await using at = await project({ [evil]: 'hit\n', 'b.txt': 'hit\n', 'dir\n./src/a.ts': 'one\nhit\n' })
  await symlink(evil, join(at.path, 'link\r'))
  const context = testContext(at.path)
  const [shown, shownA] = ['"x\\nsrc/auth.ts:1:hit"', '"dir\\n./src/a.ts"']
  const grep = async (input: object) =>
    (await callText('grep', { pattern: 'hit', ...input }, context)).split('\n')
  expect(await grep({})).toEqual(['b.txt:1:hit', `${shownA}:2:hit`, `${shown}:1:hit`])
  expect(await grep({ context: 1 })).toEqual([
    'b.txt:1:hit',
    '--',
    `${shownA}-1-one`,
    `${shownA}:2:hit`,
    '--',
    `${shown}:1:hit`,
  ])
  expect(await grep({ output_mode: 'count' })).toEqual(['b.txt:1', `${shownA}:1`, `${shown}:1`])
  expect(await grep({ output_mode: 'files_with_matches' })).toEqual(['b.txt', shownA, shown])
  expect(await grep({ path: evil })).toEqual([`${shown}:1:hit`])
  expect((await callText('glob', { pattern: '**' }, context)).split('\n').sort()).toEqual([
    shownA,
    shown,
    'b.txt',
  ])
  expect((await callText('list', { depth: 3 }, context)).split('\n')).toEqual([
    'b.txt',
    '"dir\\n./"',
    '"dir\\n./src/"',
    shownA,
    `"link\\r" -> ${shown}`,
    '"x\\nsrc/"',
    shown,
  ])
})

test('grep reports a binary file separately from the next file', async () => {
  const binary = Buffer.concat([Buffer.from(`hit\n${'x\n'.repeat(100_000)}`), Buffer.alloc(9)])
  await using at = await project({ 'a.bin': binary, 'b.txt': 'hit\n' })
  const context = testContext(at.path)
  expect((await callText('grep', { pattern: 'hit' }, context)).split('\n')).toEqual([
    'a.bin:1:hit',
    expect.stringMatching(/^a\.bin: WARNING: stopped searching binary file/),
    'b.txt:1:hit',
  ])
  await writeFile(join(at.path, 'c.bin'), 'hit\0')
  expect(await callText('grep', { pattern: 'hit', path: 'c.bin' }, context)).toMatch(
    /^c\.bin: binary file matches/,
  )
})

test('a very large search result is cut, not collected', async () => {
  await using at = await project({ 'big.txt': `${'hit '.repeat(100)}\n`.repeat(10_000) })
  const text = await callText('grep', { pattern: 'hit', limit: 20_000 }, testContext(at.path))
  expect(text.length).toBeLessThan(2_300_000)
  expect(text).toMatch(/\(\d+ or more further lines; narrow the search or raise limit\)$/)
})

test('write creates directories, keeps mode, line ends and byte order mark, and leaves no temporary file', async () => {
  await using at = await project({ 'dos.txt': '\ufeffa\r\nb\r\n' })
  const path = join(at.path, 'dos.txt')
  await chmod(path, 0o751)
  const context = testContext(at.path)
  expect(await callText('write', { file_path: 'x/y/z.txt', content: 'a\nb\n' }, context)).toBe(
    'created x/y/z.txt (2 lines, 4 bytes)',
  )
  await callText('read', { file_path: 'dos.txt' }, context)
  expect(await callText('write', { file_path: 'dos.txt', content: 'a\nc\n' }, context)).toContain('-b\n+c')
  expect(await readFile(path, 'utf8')).toBe('\ufeffa\r\nc\r\n')
  expect((await stat(path)).mode & 0o777).toBe(0o751)
  expect((await readdir(at.path)).sort()).toEqual(['dos.txt', 'x'])
  await expect(callText('write', { file_path: 'x', content: '' }, context)).rejects.toMatchObject({
    code: 'is_directory',
  })
  await expect(callText('write', { file_path: 'new/', content: '' }, context)).rejects.toMatchObject({
    code: 'invalid_path',
  })
  await expect(callText('write', { file_path: 'dos.txt/x', content: '' }, context)).rejects.toMatchObject({
    code: 'is_file',
  })
})

test('a file can be changed only after its current content was read', async () => {
  await using at = await project({ 'a.txt': 'one\n' })
  const path = join(at.path, 'a.txt')
  const context = testContext(at.path)
  const edit = () => callText('edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }, context)
  await expect(edit()).rejects.toMatchObject({ code: 'not_read' })
  await expect(callText('write', { file_path: 'a.txt', content: 'x' }, context)).rejects.toMatchObject({
    code: 'not_read',
  })
  await callText('read', { file_path: 'a.txt' }, context)
  await writeFile(path, 'one, by somebody else\n')
  await expect(edit()).rejects.toMatchObject({
    code: 'changed_since_read',
    message: 'a.txt changed since you read it',
  })
  await expect(callText('write', { file_path: 'a.txt', content: 'x' }, context)).rejects.toMatchObject({
    code: 'changed_since_read',
  })
  expect(await readFile(path, 'utf8')).toBe('one, by somebody else\n')
  await callText('read', { file_path: 'a.txt' }, context)
  expect(await edit()).toContain('+two, by somebody else')
  await callText('edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }, context)
  expect(await readFile(path, 'utf8')).toBe('three, by somebody else\n')
})

describe('the preview of a change', () => {
  const lines = Array.from({ length: 60 }, (_, i) => `line ${i + 1}`).join('\n')
  const change = { file_path: 'a.txt', old_string: 'line 50', new_string: 'fifty' }
  const detail = async (name: string, input: object, context: ToolContext) =>
    await tool(name).detail?.(input as never, context)

  test('for a file that was read includes the surrounding lines with their numbers', async () => {
    await using at = await project({ 'a.txt': lines })
    const context = testContext(at.path)
    await callText('read', { file_path: 'a.txt' }, context)
    const shown =
      '--- a/a.txt\n+++ b/a.txt\n@@ -47,7 +47,7 @@\n line 47\n line 48\n line 49\n-line 50\n+fifty\n line 51\n line 52\n line 53'
    expect(await detail('edit', change, context)).toBe(shown)
    const content = lines.replace('line 50', 'fifty')
    expect(await detail('write', { file_path: 'a.txt', content }, context)).toBe(shown)
    expect(await callText('edit', change, context)).toBe(`edited a.txt (1 place)\n${shown}`)
  })

  test("for a file that was not read, or has changed since, shows only the call's own text", async () => {
    await using at = await project({ 'a.txt': lines })
    const context = testContext(at.path)
    const pieces = '--- a/a.txt\n+++ b/a.txt\n@@ @@\n-line 50\n+fifty'
    expect(await detail('edit', change, context)).toBe(pieces)
    await callText('read', { file_path: 'a.txt' }, context)
    await writeFile(join(at.path, 'a.txt'), `secret\n${lines}`)
    expect(await detail('edit', change, context)).toBe(pieces)
    expect(await detail('edit', { ...change, file_path: 'none.txt' }, context)).toContain(
      '@@ @@\n-line 50\n+fifty',
    )
  })

  test('for a new file is the whole text', async () => {
    await using at = await project({})
    expect(await detail('write', { file_path: 'n.txt', content: 'a\nb' }, testContext(at.path))).toBe(
      '--- a/n.txt\n+++ b/n.txt\n@@ -0,0 +1,2 @@\n+a\n+b',
    )
  })
})

test('a write repeated after a crash recognises its own result', async () => {
  await using at = await project({})
  await callText('write', { file_path: 'a.txt', content: 'x\n' }, testContext(at.path))
  expect(await callText('write', { file_path: 'a.txt', content: 'x\n' }, testContext(at.path))).toContain(
    'already has exactly this content',
  )
})

test('edit creates new files and preserves bytes that are not text', async () => {
  await using at = await project({ 'latin.txt': Buffer.from([0x61, 0xe9, 0x0a]) })
  const context = testContext(at.path)
  expect(
    await callText('edit', { file_path: 'n/a.txt', old_string: '', new_string: 'x\n' }, context),
  ).toContain('created n/a.txt')
  await expect(
    callText('edit', { file_path: 'n/a.txt', old_string: '', new_string: 'y' }, context),
  ).rejects.toMatchObject({ code: 'no_match' })
  await expect(
    callText('edit', { file_path: 'm.txt', old_string: 'x', new_string: 'y' }, context),
  ).rejects.toMatchObject({ code: 'not_found' })
  await callText('read', { file_path: 'latin.txt' }, context)
  await expect(
    callText('edit', { file_path: 'latin.txt', old_string: 'a', new_string: 'b' }, context),
  ).rejects.toMatchObject({ code: 'binary' })
})

test('todo keeps one list', async () => {
  await using at = await project({})
  const context = testContext(at.path)
  expect(await callText('todo', {}, context)).toBe('(the list is empty)')
  const todos = [
    { content: 'look', status: 'completed' },
    { content: 'act', status: 'in_progress' },
    { text: 'rest' },
  ]
  expect(await callText('todo', { todos }, context)).toBe('1. [x] look\n2. [>] act\n3. [ ] rest')
  expect(await callText('todo', {}, context)).toContain('act')
})

describe('a write whose process dies midway', () => {
  const cut = async () => {
    const at = await project({
      'a.txt': 'old\n',
      '.offshoot-cal_1.tmp': 'half',
      '.offshoot-cal_2.tmp': 'half',
    })
    return { at, context: testContext(at.path) }
  }

  test.each(['write', 'edit'])(
    'is cleaned up: its temporary file is removed, and no other (%s)',
    async (name) => {
      const { at, context } = await cut()
      await using _at = at
      const input = { file_path: 'a.txt', content: '', old_string: '', new_string: '' }
      await tool(name).cleanUp!(input as never, context)
      expect(await readdir(at.path)).toEqual(['.offshoot-cal_2.tmp', 'a.txt'])
      expect(await readFile(join(at.path, 'a.txt'), 'utf8')).toBe('old\n')
    },
  )

  test('is repeated over its leftovers', async () => {
    const { at, context } = await cut()
    await using _at = at
    await callText('read', { file_path: 'a.txt' }, context)
    await callText('write', { file_path: 'a.txt', content: 'new\n' }, context)
    expect(await readdir(at.path)).toEqual(['.offshoot-cal_2.tmp', 'a.txt'])
    expect(await readFile(join(at.path, 'a.txt'), 'utf8')).toBe('new\n')
  })
})

test('a new file is synced with its name, and so is each directory created for it', async () => {
  await using at = await project({})
  const handle = await open(at.path)
  const synced: string[] = []
  const files = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  using sync = vi.spyOn(files, 'sync').mockImplementation(async function (this: FileHandle) {
    synced.push(await readlink(`/proc/self/fd/${this.fd}`))
  })
  await callText('write', { file_path: 'one/two/a.txt', content: 'x' }, testContext(at.path))
  expect(sync).toHaveBeenCalledTimes(3)
  expect(synced).toEqual([at.path, join(at.path, 'one'), join(at.path, 'one/two')])
})
