import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultLimits } from '../src/core/limits.ts'
import { configSchema } from '../src/config/config-schema.ts'
import { TestUser } from './support/test-user.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGES = ['README.md', 'ARCHITECTURE.md', ...globSync('docs/**/*.md', { cwd: ROOT })].toSorted()
const README = page('README.md')
const CLI = page('docs/cli.md')
const CONFIGURATION = page('docs/configuration.md')

/** Commands of the README that are about working on the program itself. */
const DEVELOPMENT = /^npm (test|run (check|bench|test:[\w-]+))\b/

let user: TestUser

beforeAll(() => {
  user = new TestUser({
    'src/permissions.ts': 'export function decidePermissions() {}\n',
    'test/permissions.test.ts': "test('permissions are decided', () => {})\n",
  })
  mkdirSync(join(user.root, 'another-project'))
  writeFileSync(join(user.root, 'another-project/server.ts'), 'export function handleRequest(request) {}\n')
})

afterAll(() => user.remove())

describe('what the pages say to type', () => {
  const commands = [README, CLI].flatMap((text) =>
    [...text.matchAll(/^```sh\n([^]*?)^```/gm)].flatMap(([, body]) => linesOf(body!)),
  )
  const runnable = commands.filter((line) => line.startsWith('npm start --'))
  const servers = runnable.filter((line) => line.startsWith('npm start -- serve'))

  it('is run here, or is about development', () => {
    expect(runnable.length).toBeGreaterThan(2)
    expect(commands.filter((line) => !runnable.includes(line) && !DEVELOPMENT.test(line))).toEqual([])
  })

  it.each(servers)('%s', async (line) => {
    const program = user.start([...words(line.slice('npm start --'.length)), '--port', '0'])
    await program.untilStdout('listening on http://')
    program.kill('SIGTERM')
    expect((await program.ended).code).toBe(143)
  })

  it.each(runnable.filter((line) => !servers.includes(line)))(
    '%s',
    async (line) => {
      const { code, stdout } = await user.call(words(line.slice('npm start --'.length)))
      expect(code).toBe(0)
      expect(stdout).not.toBe('')
    },
    30_000,
  )
})

describe('docs/configuration.md', () => {
  it('has every key', () => {
    for (const key of Object.keys(configSchema().shape)) expect(CONFIGURATION, key).toContain(`\`${key}\``)
  })

  it('has every limit, and the defaults that are in force', () => {
    const rows = [...CONFIGURATION.matchAll(/^\| `(\w+)` \| (\S+) \|/gm)]
    const documented = new Map(rows.map(([, key, value]) => [key!, value!]))
    for (const [key, value] of Object.entries(defaultLimits)) {
      expect(documented.get(key), key).toBe(String(value))
    }
  })

  it('shows an example that is read without a word', async () => {
    const [, example] = /^```jsonc\n([^]*?)^```/m.exec(CONFIGURATION)!
    user.write('offshoot.jsonc', example!)
    await user.trust()
    const { code, stderr } = await user.call(['run', 'hi', '-m', 'offline'])
    expect(code).toBe(0)
    expect(stderr.split('\n')[0]).toBe('offshoot: model offline (from -m)')
  })
})

describe('a link in a page', () => {
  it.each(PAGES)('of %s leads to a file', (name) => {
    const targets = [...page(name).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
    const local = targets
      .filter((target) => !/^(https?:|#)/.test(target))
      .map((target) => target.replace(/#.*/, ''))
    expect(local.filter((target) => !existsSync(join(ROOT, dirname(name), target)))).toEqual([])
  })
})

describe('ARCHITECTURE.md', () => {
  const rows = page('ARCHITECTURE.md').match(/^\| `.*\|$/gm)!
  const named = rows.flatMap((row) => {
    const [rooms, files] = row.split(' | ', 2).map((cell) => [...cell.matchAll(/`([\w./-]+)`/g)])
    return files!
      .filter(([, file]) => /^[\w-]+\.tsx?$/.test(file!))
      .map(([, file]) => ({ file: file!, rooms: rooms!.map(([, room]) => room!) }))
  })

  it('names files in its rows of rooms', () => expect(named.length).toBeGreaterThan(20))

  it.each(named)('names $file where it is, in $rooms', ({ file, rooms }) => {
    const places = rooms.flatMap((room) => [`src/${room}/**/${file}`, `src/runtime/${room}/**/${file}`])
    expect(places.flatMap((place) => globSync(place, { cwd: ROOT }))).not.toEqual([])
  })
})

function page(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8')
}

function linesOf(body: string): string[] {
  return body
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '')
}

/** Words as a shell splits them; double quotes only. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
}
