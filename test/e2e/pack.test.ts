import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object
    for (const key of ['private', 'scripts', 'devDependencies', 'optionalDependencies']) {
      expect(manifest).not.toHaveProperty(key)
    }
    const sources = globSync('**/*.ts', { cwd: installed, exclude: ['node_modules', '**/*.d.ts'] })
    expect(sources).toEqual([])
    expect(globSync('node_modules/node-*', { cwd: project })).toEqual([])
  })

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
    const args = ['run', 'Go.', '-m', `scripted:${script}`, '--mode', 'auto']
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

describe('the package', () => {
  it('is as publint wants it', async () => {
    const { messages } = await publint({ pkgDir: installed, strict: true, pack: false })
    expect(messages).toEqual([])
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
  return runWith({}, ...args)
}

function runWith(more: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> {
  const env = { ...userEnvironment(home), HOME: home, ...more }
  return new StartedProgram([process.execPath, ...args], { cwd: project, env }).ended
}

async function succeed(...command: [string, ...string[]]): Promise<void> {
  const { code, stderr } = await new StartedProgram(command, { cwd: project, env: userEnvironment(home) })
    .ended
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${stderr}`)
}
