import { createServer } from 'node:net'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cellPlaces, type CellPlaces } from './cell-layout-of.ts'
import { refusedPaths } from './refused-paths.ts'
import { whyNeverWidened, whyNotWidened } from './widened-directories.ts'

let folder: string
let places: CellPlaces
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-test-')))
  for (const name of [
    'home/work/.git/hooks',
    'home/data',
    'home/.ssh',
    'home/other',
    'home/tools/bin',
    'out',
  ])
    mkdirSync(join(folder, name), { recursive: true })
  symlinkSync(join(folder, 'home/.ssh'), join(folder, 'keys'))
  symlinkSync(join(folder, 'home/data'), join(folder, 'home/other/mine'))
  writeFileSync(join(folder, 'file'), '')
  const env = { HOME: join(folder, 'home'), PATH: `/usr/bin:${join(folder, 'home/tools/bin')}` }
  const ownDirectories = [join(folder, 'home/data')]
  places = cellPlaces({ directories: [join(folder, 'home/work')], ownDirectories, env })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string) => (name.startsWith('/') ? name : join(folder, name))

test.each([
  ['/', /home directory|directory of the run/],
  ['home', /home directory/],
  ['', /home directory/],
  ['home/work', /protected/],
  ['home/work/.git/hooks', /protected/],
  ['home/work/src', /protected/],
  ['home/data', /data or the settings of Offshoot/],
  ['home/data/deep', /data or the settings of Offshoot/],
  ['home/.ssh', /hidden/],
  ['home/.config/gcloud', /hidden/],
  ['home/other/.git/hooks', /hidden/],
  ['home/tools', /PATH/],
  ['home/tools/bin/deep', /PATH/],
  ['/etc', /system/],
  ['/etc/ssl', /system/],
  ['/usr/local/lib', /system/],
  ['/proc/self/root', /system/],
  ['/dev/shm', /system/],
  ['/run/user', /system/],
  ['/var/lib/x', /system/],
  ['/tmp', /system|home directory/],
  ['/root', /system/],
])('%s is never made writable by an answer', (name, why) => {
  expect(whyNeverWidened(places, at(name) === '/' ? '/' : at(name).replace(/\/$/, ''))).toMatch(why)
})

test('asking tells nothing of what is there; the moment of use does', () => {
  for (const name of ['out', 'home/other', 'not/there', 'keys', 'file', 'home/other/mine'])
    expect(whyNeverWidened(places, at(name))).toBeUndefined()
  for (const name of ['out', 'home/other']) expect(whyNotWidened(places, at(name))).toBeUndefined()
  expect(whyNotWidened(places, at('not/there'))).toMatch('is not there')
  for (const name of ['keys', 'file', 'home/other/mine', 'home/other/mine/deep', 'home/data'])
    expect(whyNotWidened(places, at(name))).toMatch('cannot be made writable')
})

test('a directory with a socket leads to another program', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(at('out/agent'), resolve))
  expect(whyNotWidened(places, at('out'))).toMatch('a socket of a program is in it')
  server.close()
})

const refused = (output: string, exitCode = 1) =>
  refusedPaths({ output, exitCode }, places, [at('home/work')]).map(
    ({ path, isReadOnly, directory }) => `${isReadOnly ? 'read-only' : 'missing'} ${path} in ${directory}`,
  )

test.each([
  [(path: string) => `bash: line 1: ${path}: Read-only file system`, 'read-only'],
  [(path: string) => `touch: cannot touch '${path}': Read-only file system`, 'read-only'],
  [(path: string) => `mkdir: cannot create directory ‘${path}’: Read-only file system`, 'read-only'],
  [(path: string) => `Error: EROFS: read-only file system, open '${path}'`, 'read-only'],
  [(path: string) => `OSError: [Errno 30] Read-only file system: '${path}'`, 'read-only'],
  [(path: string) => `bash: line 1: ${path}: No such file or directory`, 'missing'],
  [(path: string) => `cp: cannot create regular file '${path}': No such file or directory`, 'missing'],
])('a path that the output names is told, with what can be asked for: %s', (line, kind) => {
  const path = at(line('').includes("'") || line('').includes('‘') ? 'home/other/a file' : 'home/other/file')
  expect(refused(`working\n${line(path)}\n`)).toEqual([`${kind} ${path} in ${at('home/other')}`])
  expect(refused(line(path), 0)).toEqual([])
})

test('what cannot be told is not, and what is never given is not offered', () => {
  expect(refused("touch: cannot touch 'hooks/x': Read-only file system")).toEqual([])
  expect(refused('cat: /tmp/x: No such file or directory')).toEqual([])
  expect(refused(`cat: ${at('home/work/x')}: No such file or directory`)).toEqual([])
  expect(refused(`cat: ${at('home/.ssh/id')}: No such file or directory`)).toEqual([])
  expect(refused('bash: /usr/bin/nothing: No such file or directory')).toEqual([])
  const hook = at('home/work/.git/hooks/pre-commit')
  expect(refused(`touch: cannot touch '${hook}': Read-only file system`)).toEqual([
    `read-only ${hook} in null`,
  ])
  expect(refused("touch: cannot touch '/usr/x': Read-only file system")).toEqual(['read-only /usr/x in null'])
  const many = Array.from({ length: 9 }, (_, n) => `rm: '${at(`out/${n}`)}': Read-only file system`)
  expect(refused(many.join('\n'))).toHaveLength(3)
})
