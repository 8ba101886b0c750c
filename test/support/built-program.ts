import { cpSync, rmSync, symlinkSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown, type OutputOptions, type RolldownPlugin } from 'rolldown'
import { ascii } from '../../scripts/ascii.mjs'
import { builtinData } from '../../scripts/builtin-data.mjs'
import { lightBuiltins } from '../../scripts/light-builtins.mjs'
import { lightHeaders } from '../../scripts/light-headers.mjs'
import { findAssets, ownPlace } from '../../scripts/own-place.mjs'
import { SMALLER, startChunk } from '../../scripts/start-chunk.mjs'
import { temporaryFolder, userEnvironment } from './fresh-copy.ts'
import { BUILT } from './program-files.ts'
import { StartedProgram } from './started-program.ts'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAMS = {
  'src/exec/guard-process.ts': 'guard-process',
  'src/exec/sandbox/cell-supervisor.ts': 'cell-supervisor',
  'src/tools/web/markdown-worker.ts': 'markdown',
}

let made: string | undefined

/**
 * Before the first test, once for all: the program of this tree in the shape in which it is published. It starts with a
 * third of the work that the sources take, and these tests start it a thousand times.
 */
export async function setup(): Promise<void> {
  if (process.env[BUILT]) return // made for another project of the same test run
  made = temporaryFolder('built')
  await Promise.all([buildPage(), writeBundles(made)])
  for (const name of [...findAssets(ROOT), 'package.json', 'web/dist'])
    cpSync(join(ROOT, name), join(made, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(made, 'node_modules'))
  process.env[BUILT] = made
}

export function teardown(): void {
  if (made) rmSync(made, { recursive: true, force: true })
}

/** In a process without NODE_ENV=test, with which it would be another page. */
async function buildPage(): Promise<void> {
  const script = JSON.stringify(pathToFileURL(join(ROOT, 'scripts/build-web.mjs')).href)
  const code = `const { buildWebIfOlder } = await import(${script}); await buildWebIfOlder()`
  const command = [process.execPath, '--input-type=module', '--eval', code] as const
  const { code: exit, stderr } = await new StartedProgram(command, { cwd: ROOT, env: userEnvironment('') })
    .ended
  if (exit !== 0) throw new Error(`The page could not be built:\n${stderr}`)
}

async function writeBundles(folder: string): Promise<void> {
  const start = startChunk(ROOT)
  const command = { offshoot: 'src/cli/main.ts', 'test-build': 'test/support/main.ts' }
  const plugins = [lightHeaders(), lightBuiltins('first'), ascii(), start.plugin]
  await writeBundle(folder, command, plugins, { codeSplitting: start.codeSplitting, minify: SMALLER })
  // As in what is published, these have a bundle of their own. Together with the command, each guard would load all of it.
  const programs = Object.fromEntries(Object.entries(PROGRAMS).map(([source, name]) => [name, source]))
  await writeBundle(folder, programs)
}

async function writeBundle(
  folder: string,
  sources: Readonly<Record<string, string>>,
  plugins: readonly RolldownPlugin[] = [],
  output: OutputOptions = {},
): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(sources).map(([name, file]) => [name, join(ROOT, file)])),
    platform: 'node',
    plugins: [builtinData(), ownPlace(ROOT, PROGRAMS), ...plugins],
    external: [...builtinModules, /^node:/, '@vscode/ripgrep'],
    resolve: { mainFields: ['module', 'main'] },
  })
  await bundle.write({ dir: folder, format: 'esm', chunkFileNames: 'chunk-[hash].js', ...output })
  await bundle.close()
}
