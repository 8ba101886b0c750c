// Builds the page of web into its folder dist. `node scripts/build-web.mjs` always does; buildWebIfOlder only when a source
// is newer.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const WEB = path.join(ROOT, 'web')
const SOURCES = [
  'web/{index.html,package.json,vite.config.ts}',
  'web/{src,public}/**/*',
  'src/{client,protocol,core}/**/*.ts',
]
/** What a browser loads before it shows anything may weigh this much, compressed. */
const FIRST_LOAD_MAX_KB = 300

/** Where the built page lies. */
export const WEB_DIST = path.join(WEB, 'dist')

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildWeb()
  const kb = firstLoadKb()
  console.log(`web/dist: ${kb.toFixed(0)} kB compressed at first load (at most ${FIRST_LOAD_MAX_KB})`)
  if (kb > FIRST_LOAD_MAX_KB) process.exitCode = 1
}

/** Builds the page where it is missing or older than one of its sources. Returns whether it did. */
export async function buildWebIfOlder() {
  const built = changedAt(path.join(WEB_DIST, 'index.html'))
  const names = SOURCES.flatMap((pattern) => fs.globSync(pattern, { cwd: ROOT }))
  const isOlder = names.some((name) => !name.endsWith('.test.ts') && changedAt(path.join(ROOT, name)) > built)
  if (isOlder) await buildWeb()
  return isOlder
}

/** Builds the page. It says nothing; a mistake in a source is thrown. */
export async function buildWeb() {
  const { build } = await import('vite')
  await build({ configFile: path.join(WEB, 'vite.config.ts'), logLevel: 'error' })
  // A build whose output is the same leaves the old times.
  const now = new Date()
  fs.utimesSync(path.join(WEB_DIST, 'index.html'), now, now)
}

/** kB (1,000 bytes) of index.html and all that it names, each compressed with gzip. */
export function firstLoadKb() {
  const html = fs.readFileSync(path.join(WEB_DIST, 'index.html'), 'utf8')
  const named = [...html.matchAll(/(?:src|href)="\/([^"]+)"/g)].map((match) => match[1] ?? '')
  const bytes = ['index.html', ...named].map(
    (name) => gzipSync(fs.readFileSync(path.join(WEB_DIST, name))).length,
  )
  return bytes.reduce((sum, each) => sum + each, 0) / 1000
}

/** @param {string} file */
function changedAt(file) {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
