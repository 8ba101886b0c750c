import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder, userEnvironment } from '../support/fresh-copy.ts'
import { type Ended, processesWith, StartedProgram } from '../support/started-program.ts'

const ROOT = join(import.meta.dirname, '../..')

const RESOLUTIONS = [
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
] as const

/** The lower end of the range of the peer dependency. The upper end is what npm installs by itself. */
const OLDEST_ZOD = '4.2.0'

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** It uses the disk, child processes and the store named by its argument, and the clock of the test kit. */
const EVERYWHERE = `import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent, createOffshoot } from 'offshoot'
import { createTestOffshoot, scriptedModel } from 'offshoot/testing'
import { z } from 'zod'
const directory = mkdtempSync(join(tmpdir(), 'everywhere-'))
writeFileSync(join(directory, 'note.txt'), 'hello')
const call = (tool, input) => ({ toolCalls: [{ tool, input }] })
const main = [call('read', { path: 'note.txt' }), call('grep', { pattern: 'hel*o' }), call('bash', { command: 'echo hello' }), { text: 'done' }]
const typed = agent({ name: 'typed', description: 'd', prompt: 'p', outputSchema: z.object({ n: z.number() }) })
const config = { permissions: [{ tool: 'bash', action: 'allow' }] }
const model = scriptedModel({ agents: { main } })
const offshoot = await createOffshoot({ directory, model, config, agents: [typed], store: process.argv[2] })
const run = await (await offshoot.chat()).send('go')
for await (const event of run.events()) {
  if (event.type === 'tool.completed') console.log(event.tool + ': ' + event.output.includes('hello'))
  if (event.type === 'tool.failed') console.log(event.tool + ': false')
}
console.log((await run.result()).status)
await offshoot.close()
const test = await createTestOffshoot({ directory, script: { main: [call('read', { path: 'note.txt' }), { text: 'later', delayMs: 60_000 }] } })
console.log((await test.clock.until((await (await test.offshoot.chat()).send('go')).result())).text)
await test[Symbol.asyncDispose]()
`

const KILLED = `import { createOffshoot } from 'offshoot'
import { scriptedModel } from 'offshoot/testing'
const call = { tool: 'bash', input: { command: 'setsid sleep 1000 & kill -9 $PPID' } }
const model = scriptedModel({ agents: { main: [{ toolCalls: [call] }] } })
const config = { permissions: [{ tool: 'bash', action: 'allow' }] }
const offshoot = await createOffshoot({ model, config, store: ':memory:' })
await (await (await offshoot.chat()).send('go')).result()
`

const project = temporaryFolder('user-project')
const home = temporaryFolder('home')
/** Not in dist: what lies there may be in use. */
const built = temporaryFolder('dist')
const installed = join(project, 'node_modules/offshoot')

beforeAll(async () => {
  await succeed('npm', 'run', 'build', '--prefix', ROOT, '--', '--out', built)
  await succeed('npm', 'pack', built)
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  writeFileSync(join(project, '.ignore'), 'node_modules\n')
  await succeed('npm', 'install', `./${globSync('offshoot-*.tgz', { cwd: project })[0]}`)
}, 300_000)

afterAll(() => {
  for (const folder of [project, home, built]) rmSync(folder, { recursive: true, force: true })
})

describe('what is published', () => {
  it('holds nothing of development', () => {
    const manifest = manifestOf(installed)
    for (const key of ['private', 'scripts', 'devDependencies', 'optionalDependencies']) {
      expect(manifest).not.toHaveProperty(key)
    }
    const exclude = ['node_modules', 'examples', '**/*.d.ts']
    const sources = globSync('**/*.ts', { cwd: installed, exclude })
    expect(sources).toEqual([])
    expect(globSync('node_modules/node-*', { cwd: project })).toEqual([])
  })

  it('shares zod with the program, and gets later versions of its packages', () => {
    const { dependencies, peerDependencies } = manifestOf(installed) as Manifest
    expect(peerDependencies).toEqual({ zod: `^${OLDEST_ZOD}` })
    expect(Object.values(dependencies).filter((range) => !range.startsWith('^'))).toEqual([])
  })

  it('has the pages and examples that its README links to', () => {
    const readme = readFileSync(join(installed, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path!)
    expect(links.length).toBeGreaterThan(30)
    expect(links.filter((path) => !existsSync(join(installed, path)))).toEqual([])
  })

  it('names its repository and has absolute links where the build is told the address', async () => {
    const address = 'https://example.org/us/offshoot'
    const out = join(home, 'with-address')
    await succeed('npm', 'run', 'build', '--prefix', ROOT, '--', '--out', out, '--repository', address)
    expect(manifestOf(out)).toMatchObject({ repository: address })
    const readme = readFileSync(join(out, 'README.md'), 'utf8')
    expect(readme).toContain(`](${address}/blob/HEAD/docs/library.md)`)
    expect(readme).not.toMatch(/\]\((?!https?:|#)/)
  }, 300_000)

  it('can be imported', async () => {
    const code = ['', '/client', '/protocol', '/testing']
      .map((entry) => `await import('offshoot${entry}')`)
      .join(';')
    expect(await run('--input-type=module', '--eval', code)).toMatchObject({ code: 0, stderr: '' })
  })

  it('runs as a command', async () => {
    expect(await run('node_modules/.bin/offshoot', '--version')).toMatchObject({ code: 0, stdout: '0.1.0\n' })
  })

  it('answers a question, so the files that it reads came along', async () => {
    const args = [
      'run',
      'Where is the changelog?',
      '-C',
      installed,
      '-m',
      'offline',
      '--output-format',
      'json',
    ]
    const { code, stdout } = await run('node_modules/.bin/offshoot', ...args)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed' })
  }, 120_000)

  it('has no switch and no fault point that the environment could reach', async () => {
    const script = join(home, 'switches.json')
    const call = { tool: 'bash', input: { command: 'echo done' } }
    writeFileSync(script, JSON.stringify({ agents: { main: [{ toolCalls: [call] }, { text: 'Done.' }] } }))
    const faults = { TEST_FAULT: 'intent.before:1,effect.before:1', TEST_OFF: 'receipts', TEST_PAGES: '1' }
    const args = ['run', 'Go.', '-m', `scripted:${script}`, '--mode', 'auto']
    const command = [process.execPath, 'node_modules/.bin/offshoot', ...args] as const
    const env = { ...userEnvironment(home), HOME: home, ...faults }
    const ended = await new StartedProgram([...command], { cwd: project, env }).ended
    expect(ended).toMatchObject({ code: 0, signal: null, stdout: 'Done.\n' })
    const files = globSync('**/*.js', { cwd: installed, exclude: ['node_modules'] })
    const named = files.filter((name) =>
      /\b(?:TEST_[A-Z]+|isOff|faultsOf)\b/.test(readFileSync(join(installed, name), 'utf8')),
    )
    expect({ files: files.length > 0, named }).toEqual({ files: true, named: [] })
  })

  it('leaves no process when it is killed, so the program of its guard came along', async () => {
    const call = { tool: 'bash', input: { command: 'setsid sleep 1000 & kill -9 $PPID' } }
    const script = join(home, 'killed.json')
    writeFileSync(script, JSON.stringify({ agents: { main: [{ toolCalls: [call] }] } }))
    const args = ['run', 'Go.', '-m', `scripted:${script}`, '--mode', 'auto', '--sandbox', 'off']
    const { signal } = await run('node_modules/.bin/offshoot', ...args)
    expect(signal).toBe('SIGKILL')
    await expect.poll(() => processesWith(`HOME=${home}`), { timeout: 10_000 }).toEqual([])
  })

  it('makes Markdown of a page in a thread, so the program of that came along', async () => {
    const code = `const { Worker } = await import('node:worker_threads')
      const workerData = { html: '<h1>Page</h1>', base: 'https://example.com/' }
      new Worker('./node_modules/offshoot/markdown.js', { workerData, execArgv: [] }).once('message', console.log)`
    const ended = await run('--input-type=module', '--eval', code)
    expect(ended).toMatchObject({ code: 0, stdout: '# Page\n' })
  })
})

describe('the library in a project that installed it', () => {
  const readme = snippets('README.md')
  const pages = [...readme, ...snippets('docs/library.md')].map(
    (code, i) => [`snippet ${i + 1}`, code] as const,
  )

  it('has a snippet in the README, of at most 20 lines', () => {
    expect(readme).toHaveLength(1)
    expect(readme[0]!.trim().split('\n').length).toBeLessThanOrEqual(20)
  })

  it.each(RESOLUTIONS)('compiles: module %s, resolution %s', async (...how) => {
    const files = pages.map(([name, code]) => source(`${name}.mts`, code))
    const testing = source(
      'testing.mts',
      `import { handClock } from 'offshoot/testing'\nexport const now: number = handClock().now()\n`,
    )
    const client = source(
      'client.mts',
      `import { createClient, stateOf, type ViewState } from 'offshoot/client'
import { routes, type Snapshot } from 'offshoot/protocol'
export const client = createClient({ baseUrl: 'http://127.0.0.1:4680' })
export const view = (given: unknown): ViewState => stateOf(routes.getSnapshot.answer.parse(given) satisfies Snapshot)
`,
    )
    expect(await compile(how, ...files, testing, client)).toEqual({ code: 0, stdout: '' })
  })

  it('does not compile with a wrong type in the input of a tool', async () => {
    const wrong = readme[0]!.replace('word.length', 'word.toFixed(1)')
    expect(wrong).not.toBe(readme[0])
    const { code, stdout } = await compile(RESOLUTIONS[0], source('wrong.mts', wrong))
    expect(code).not.toBe(0)
    expect(stdout).toContain(`Property 'toFixed' does not exist on type 'string'`)
  })

  it.each(pages)('runs without a key where the offline model is configured: %s', async (name, code) => {
    const { code: exit, stderr } = await runWith({ OFFSHOOT_MODEL: 'offline' }, source(`${name}.mts`, code))
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  })

  it('runs in JavaScript, with what tests need', async () => {
    const code = `import { createOffshoot, tool } from 'offshoot'
import { createTestOffshoot, scriptedModel, storeConformance } from 'offshoot/testing'
import { z } from 'zod'
const double = tool({ name: 'double', description: 'Doubles.', inputSchema: z.object({ n: z.number() }), effects: 'none', execute: ({ n }) => n * 2 })
const model = scriptedModel({ agents: { main: [{ toolCalls: [{ tool: 'double', input: { n: 21 } }] }, { text: 'done' }] } })
const offshoot = await createOffshoot({ model, tools: [double], store: 'js.db' })
const run = await (await offshoot.chat()).send('go')
for await (const event of run.events()) if (event.type === 'tool.completed') console.log(event.output)
await offshoot.close()
const test = await createTestOffshoot({ script: { main: [{ text: 'later', delayMs: 60_000 }] } })
console.log((await test.clock.until((await (await test.offshoot.chat()).send('go')).result())).text)
console.log(storeConformance.length > 10, await createOffshoot({ modle: 1 }).catch((error) => error.code))
`
    const { code: exit, stdout, stderr } = await run(source('javascript.mjs', code))
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '42\nlater\ntrue usage\n', stderr: '' })
  })
})

describe('elsewhere', () => {
  const tools = temporaryFolder('tools')
  const name = source('everywhere.mjs', EVERYWHERE)
  beforeAll(async () => {
    writeFileSync(join(tools, 'package.json'), '{ "private": true }')
    await succeed('npm', 'install', '--prefix', tools, 'bun@1.4.5', 'deno@2.9.6', 'esbuild@0.28.2')
  }, 300_000)
  afterAll(() => rmSync(tools, { recursive: true, force: true }))
  const RUNTIMES = [
    ['Bun', ['bun']],
    ['Deno', ['deno', 'run', '--allow-all']],
  ] as const
  const runTool = ([program, ...args]: readonly string[], ...more: string[]) =>
    ended(join(tools, 'node_modules/.bin', program!), ...args, ...more)

  it.each(RUNTIMES)(
    'runs on %s, in memory and in a file, with the test kit',
    async (runtime, command) => {
      for (const store of [':memory:', `${runtime}.db`]) {
        const { code, stdout } = await runTool(command, name, store)
        expect({ code, stdout }).toEqual({
          code: 0,
          stdout: 'read: true\ngrep: true\nbash: true\ncompleted\nlater\n',
        })
      }
    },
    120_000,
  )

  it.each(RUNTIMES)('leaves no process when it is killed on %s', async (_, command) => {
    const { signal } = await runTool(command, source('killed.mjs', KILLED))
    expect(signal).toBe('SIGKILL')
    await expect.poll(() => processesWith(`HOME=${home}`), { timeout: 10_000 }).toEqual([])
  })

  it('runs from one file that esbuild made, and says what has to lie beside it', async () => {
    const folder = join(tools, 'one')
    const made = await runTool(
      ['esbuild'],
      name,
      '--bundle',
      '--platform=node',
      '--format=esm',
      `--outfile=${folder}/app.mjs`,
    )
    expect(made.code).toBe(0)
    const alone = await run(join(folder, 'app.mjs'), ':memory:')
    expect(alone).toMatchObject({
      code: 0,
      stdout: 'read: true\ngrep: false\nbash: true\ncompleted\nlater\n',
    })
    expect(alone.stderr).toContain('Copy node_modules/offshoot/guard.js beside your bundle.')
    copyFileSync(join(installed, 'guard.js'), join(folder, 'guard.js'))
    expect(await run(join(folder, 'app.mjs'), ':memory:')).toMatchObject({ code: 0, stderr: '' })
  })

  it('runs and compiles with the oldest zod that it accepts', async () => {
    const folder = join(tools, 'oldest')
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    const tarball = globSync('offshoot-*.tgz', { cwd: project })[0]!
    await succeed('npm', 'install', '--prefix', folder, join(project, tarball), `zod@${OLDEST_ZOD}`)
    expect(manifestOf(join(folder, 'node_modules/zod'))).toMatchObject({ version: OLDEST_ZOD })
    copyFileSync(join(project, name), join(folder, name))
    expect(await run(join(folder, name), ':memory:')).toMatchObject({ code: 0 })
    const snippet = join(folder, 'readme.mts')
    writeFileSync(snippet, snippets('README.md')[0]!)
    expect(await compile(RESOLUTIONS[0], snippet)).toEqual({ code: 0, stdout: '' })
  }, 120_000)
})

describe('the package', () => {
  it('is as publint wants it', async () => {
    const { messages } = await publint({ pkgDir: installed, strict: true, pack: false })
    const examples = globSync('examples/**/*.test.ts', { cwd: installed }).map((name) => `/${name}`)
    // the examples show how a program is tested, so that two of them are tests
    const [found, ...others] = messages
    expect(found).toMatchObject({ code: 'USE_FILES', args: { internalFilePaths: examples.toSorted() } })
    expect(others).toEqual([])
  })

  it('brings the packages, and needs the space, that docs/dependencies.md says', async () => {
    const page = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8')
    const [, tree = '', megabytes = ''] =
      /^```text\n(offshoot\n[^]*?)^```[^]*?about (\d+) MB/m.exec(page) ?? []
    const listed = [...tree.matchAll(/[\w@/.-]+/g)].map(([name]) => name)
    const there = globSync('{*,@*/*}/package.json', { cwd: join(project, 'node_modules') })
      .map((file) => file.replace('/package.json', ''))
      .filter((name) => !name.startsWith('@vscode/ripgrep-'))
    expect(listed.toSorted()).toEqual(there.toSorted())
    const size = sizeOf(join(project, 'node_modules')) / 1e6
    expect(Math.abs(size / Number(megabytes) - 1), `${size} MB`).toBeLessThan(0.2)
  })
})

/** The code of a page in TypeScript, piece by piece. */
function snippets(page: string): string[] {
  return [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```ts\n([^]*?)^```/gm)].map(
    ([, code]) => code!,
  )
}

function source(name: string, code: string): string {
  writeFileSync(join(project, name), code)
  return name
}

/** As strict as it gets, and with the declarations of every package checked too. */
async function compile([module, resolution]: readonly [string, string], ...files: string[]) {
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2022', '--skipLibCheck', 'false']
  const how = ['--module', module, '--moduleResolution', resolution]
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { code, stdout } = await run(tsc, ...options, ...how, ...files)
  return { code, stdout }
}

function sizeOf(folder: string): number {
  return globSync('**/*', { cwd: folder })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0)
}

/** In the user's project, with the Node that these tests run on. */
function run(...args: string[]): Promise<Ended> {
  return ended(process.execPath, ...args)
}

function ended(...command: [string, ...string[]]): Promise<Ended> {
  return endedWith({}, ...command)
}

function runWith(more: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> {
  return endedWith(more, process.execPath, ...args)
}

function endedWith(
  more: Readonly<Record<string, string>>,
  ...command: [string, ...string[]]
): Promise<Ended> {
  const env = { ...userEnvironment(home), HOME: home, ...more }
  return new StartedProgram(command, { cwd: project, env }).ended
}

function manifestOf(folder: string): object {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object
}

async function succeed(...command: [string, ...string[]]): Promise<void> {
  const { code, stderr } = await new StartedProgram(command, { cwd: project, env: userEnvironment(home) })
    .ended
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${stderr}`)
}
