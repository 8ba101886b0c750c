// Writes dist/, which is what is published: one bundle for each entry of package.json, declarations, the files that the
// code reads, and a manifest of its own.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { findAssets, ownPlace } from './own-place.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = path.join(ROOT, 'dist')
const MANIFEST = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
const ENTRIES = [
  ...Object.entries(MANIFEST.exports).map(([key, source]) => ({ key, source, name: nameOfExport(key) })),
  ...Object.entries(MANIFEST.bin).map(([key, source]) => ({ key: undefined, source, name: key })),
]
/** Started as processes (docs/processes.md) and threads of their own. */
const PROGRAMS = { 'src/exec/guard-main.ts': 'guard', 'src/tools/web/markdown-worker.ts': 'markdown' }

/**
 * What the declarations refer to: Node's own types, and those that the declarations of @ai-sdk/provider name and do not
 * bring along. A program in TypeScript resolves all of them without options and packages of its own.
 */
const TYPES = { '@types/json-schema': '7.0.15', '@types/node': MANIFEST.devDependencies['@types/node'] }

fs.rmSync(DIST, { recursive: true, force: true })
await writeBundles()
writeDeclarations()
copyAssets()
writeManifest()
console.log(`dist: ${ENTRIES.map((entry) => `${entry.name}.js`).join(', ')}`)

/** @param {string} key `.` or `./client` */
function nameOfExport(key) {
  return key === '.' ? 'index' : key.replace('./', '')
}

/** Packages stay imports: the user's npm installs them, and can share and update them. */
async function writeBundles() {
  const bundle = await rolldown({
    input: {
      ...Object.fromEntries(ENTRIES.map(({ name, source }) => [name, path.join(ROOT, source)])),
      ...Object.fromEntries(
        Object.entries(PROGRAMS).map(([source, name]) => [name, path.join(ROOT, source)]),
      ),
    },
    platform: 'node',
    external: /^[^./]/,
    plugins: [ownPlace(ROOT, PROGRAMS)],
  })
  // All bundles directly in dist: ownPlace counts on it.
  await bundle.write({
    dir: DIST,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[hash].js',
  })
  await bundle.close()
}

function writeDeclarations() {
  const tsc = path.join(ROOT, 'node_modules', '.bin', 'tsc')
  const { status } = spawnSync(tsc, ['-p', path.join(ROOT, 'tsconfig.build.json')], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The declarations could not be written (see above).')
  for (const file of fs.globSync(`${DIST}/**/*.d.ts`)) {
    // tsc leaves the suffix of the sources in imports; what is published has .js.
    const text = fs
      .readFileSync(file, 'utf8')
      .replace(/((?:from|import) ?\(?['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js')
    const isEntry = path.dirname(file) === DIST
    fs.writeFileSync(file, isEntry ? `/// <reference types="node" />\n${text}` : text)
  }
}

function copyAssets() {
  for (const name of findAssets(ROOT)) fs.cpSync(path.join(ROOT, name), path.join(DIST, name))
}

/** Nothing of development: no scripts, no devDependencies, no Node. */
function writeManifest() {
  const { name, version, description, license, type, engines } = MANIFEST
  const dependencies = { ...MANIFEST.dependencies, ...TYPES }
  const published = { name, version, description, license, type, engines, exports: {}, bin: {}, dependencies }
  for (const { key, name: bundle, source } of ENTRIES) {
    const code = `./${bundle}.js`
    if (key === undefined) Object.assign(published.bin, { [bundle]: code })
    else Object.assign(published.exports, { [key]: { types: declarationOf(source), default: code } })
  }
  fs.writeFileSync(path.join(DIST, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

/** @param {string} source */
function declarationOf(source) {
  const declaration = source.replace(/^\.\/src\/(.*)\.ts$/, './$1.d.ts')
  if (fs.existsSync(path.join(DIST, declaration))) return declaration
  throw new Error(
    `${source} is exported but has no declarations: name it in the files of tsconfig.build.json`,
  )
}
