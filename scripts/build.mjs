// Writes dist/, which is what is published: one bundle for each entry of package.json, declarations, the files that the
// code reads, the pages for people, and a manifest of its own. `--out FOLDER`: there instead. `--repository URL`: where the
// sources are, if package.json does not say; the links of the README then lead there.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { builtinModules } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { ascii } from './ascii.mjs'
import { builtinData } from './builtin-data.mjs'
import { buildWeb, WEB_DIST } from './build-web.mjs'
import { lightBuiltins } from './light-builtins.mjs'
import { lightHeaders } from './light-headers.mjs'
import { SMALLER, startChunk } from './start-chunk.mjs'
import { findAssets, ownPlace } from './own-place.mjs'
import { heldAjv } from './held-ajv.mjs'
import { ownTexts } from './own-texts.mjs'
import { absoluteLinks, webAddress } from './readme-links.mjs'
import { packedPages } from './packed-pages.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { values: options } = parseArgs({
  options: { out: { type: 'string', default: 'dist' }, repository: { type: 'string' } },
})
const DIST = path.resolve(ROOT, options.out)
const MANIFEST = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
const REPOSITORY = options.repository ?? MANIFEST.repository
const ENTRIES = [
  ...Object.entries(MANIFEST.exports).map(([key, source]) => ({ key, source, name: nameOfExport(key) })),
  ...Object.entries(MANIFEST.bin).map(([key, source]) => ({ key: undefined, source, name: key })),
]
/** Started as processes (docs/processes.md) and threads of their own. */
const PROGRAMS = {
  'src/exec/guard-process.ts': 'guard',
  'src/exec/sandbox/cell-supervisor.ts': 'cell',
  'src/tools/web/markdown-worker.ts': 'markdown',
}

/**
 * Packages that are in the library's bundle: other bundlers cannot make one file of a program that imports them, because
 * they are CommonJS and load parts of themselves or of Node.
 */
const IN_LIBRARY = ['ajv', 'jsonc-parser', 'yaml']

/** Nothing that is published imports these: they are in all bundles that use them. */
const NOT_IMPORTED = ['jsonc-parser', 'turndown', 'yaml']

/**
 * The oldest zod that is tested. One copy for both: a schema of the program goes to the library, and the types of two
 * copies do not fit.
 */
const PEERS = { zod: '^4.2.0' }

/** Finds the program for this platform in a package beside its own. */
const LEFT_OUTSIDE = ['@vscode/ripgrep']

/**
 * What the declarations refer to: Node's own types, and those that the declarations of @ai-sdk/provider name and do not
 * bring along. A program in TypeScript resolves all of them without options and packages of its own.
 */
const TYPES = { '@types/json-schema': '7.0.15', '@types/node': MANIFEST.devDependencies['@types/node'] }

fs.rmSync(DIST, { recursive: true, force: true })
await buildWeb()
await writeBundles()
writeDeclarations()
copyAssets()
writeReadme()
// The server finds the page by the same way from the root of both (src/cli/commands/serve.ts).
fs.cpSync(WEB_DIST, path.join(DIST, path.relative(ROOT, WEB_DIST)), { recursive: true })
writeManifest()
console.log(`${options.out}: ${ENTRIES.map((entry) => `${entry.name}.js`).join(', ')}`)

/** @param {string} key `.` or `./client` */
function nameOfExport(key) {
  return key === '.' ? 'index' : key.replace('./', '')
}

/**
 * What programs import keeps its packages as imports: the user's npm installs them, and can share and update them. The
 * command holds what it uses of them: it starts in two thirds of the time that finding and reading 250 files takes.
 */
async function writeBundles() {
  const all = { platform: /** @type {const} */ ('node'), plugins: [builtinData(), ownPlace(ROOT, PROGRAMS)] }
  const isCommand = (/** @type {{ key?: string | undefined }} */ { key }) => key === undefined
  const library = await writeBundle({
    ...all,
    plugins: [...all.plugins, ownTexts(ROOT), heldAjv()],
    input: inputOf(ENTRIES.filter((entry) => !isCommand(entry))),
    external: isExternal,
    resolve: { mainFields: ['module', 'main'] },
  })
  const whole = { external: [...builtinModules, /^node:/], resolve: { mainFields: ['module', 'main'] } }
  const started = []
  // Each in one file, so that it can be copied.
  for (const program of programs())
    started.push(...(await writeBundle({ ...all, ...whole, input: inputOf([program]) })))
  const { plugin, codeSplitting } = startChunk(ROOT)
  const command = await writeBundle(
    {
      ...all,
      plugins: [...all.plugins, lightHeaders(), lightBuiltins('first'), ascii(), plugin],
      input: inputOf(ENTRIES.filter(isCommand)),
      external: [...builtinModules, /^node:/, ...LEFT_OUTSIDE],
      resolve: { mainFields: ['module', 'main'] },
    },
    { codeSplitting, minify: SMALLER },
  )
  writeLicenses([...library, ...started, ...command])
}

/**
 * What the packages in the bundle import is in it too.
 * @param {string} id
 * @param {string} [importer]
 */
function isExternal(id, importer) {
  if (id.startsWith('node:') || builtinModules.includes(id)) return true
  const [scope = '', name = ''] = id.split('/')
  const bare = scope.startsWith('@') ? `${scope}/${name}` : scope
  const isPackage = /^[^./\0]/.test(id) && bare !== 'own-texts'
  return isPackage && !IN_LIBRARY.includes(bare) && !importer?.includes('/node_modules/')
}

function programs() {
  return Object.entries(PROGRAMS).map(([source, name]) => ({ source, name }))
}

/** @param {readonly { readonly name: string, readonly source: string }[]} entries */
function inputOf(entries) {
  return Object.fromEntries(entries.map(({ name, source }) => [name, path.join(ROOT, source)]))
}

/**
 * All bundles directly in dist: ownPlace counts on it. Returns the files that went into it.
 * @param {import('rolldown').InputOptions} options
 * @param {import('rolldown').OutputOptions} [more]
 */
async function writeBundle(options, more = {}) {
  const bundle = await rolldown(options)
  const { output } = await bundle.write({
    ...more,
    dir: DIST,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[hash].js',
  })
  await bundle.close()
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
}

/**
 * What the licenses of the packages in the command ask for.
 * @param {readonly string[]} files
 */
function writeLicenses(files) {
  const folders = files.flatMap(
    (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replaceAll('\\', '/')) ?? [],
  )
  const texts = [...new Set(folders)].toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(fs.readFileSync(`${folder}/package.json`, 'utf8'))
    const [file] = fs.globSync('{LICENSE,License,license,LICENCE}*', { cwd: folder })
    const text = file ? fs.readFileSync(`${folder}/${file}`, 'utf8').trim() : license
    return `# ${name} ${version} (${license})\n\n${text}\n`
  })
  fs.writeFileSync(path.join(DIST, 'THIRD-PARTY-LICENSES'), texts.join('\n'))
}

function writeDeclarations() {
  const tsc = path.join(ROOT, 'node_modules', '.bin', 'tsc')
  const { status } = spawnSync(tsc, ['-p', path.join(ROOT, 'tsconfig.build.json'), '--outDir', DIST], {
    stdio: 'inherit',
  })
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
  for (const name of [...findAssets(ROOT), ...packedPages])
    fs.cpSync(path.join(ROOT, name), path.join(DIST, name), { recursive: true })
}

/** Without a known repository its links stay relative, and lead to the pages in the package. */
function writeReadme() {
  const address = webAddress(REPOSITORY)
  if (address === undefined) return
  const file = path.join(DIST, 'README.md')
  fs.writeFileSync(file, absoluteLinks(fs.readFileSync(file, 'utf8'), address))
}

/**
 * Nothing of development: no scripts, no devDependencies, no Node. The versions here are those of the lockfile, and a
 * program that installs the package gets later ones with what they mend.
 */
function writeManifest() {
  const { name, version, description, license, type, engines } = MANIFEST
  const imported = Object.entries({ ...MANIFEST.dependencies, ...TYPES })
    .filter(([dependency]) => !(dependency in PEERS) && !NOT_IMPORTED.includes(dependency))
    .map(([dependency, exact]) => [dependency, `^${exact}`])
  const about = { name, version, description, license, repository: REPOSITORY, type, engines }
  const dependencies = Object.fromEntries(imported)
  const published = { ...about, exports: {}, bin: {}, dependencies, peerDependencies: PEERS }
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
