// A module finds the files beside it with `new URL('./name.txt', import.meta.url)`. In a bundle import.meta.url is the
// bundle's place, so each module is given the place that it has in the repository, with dist/ as its root: in
// src/tools/read.ts it is dist/src/tools/read.ts, and src/tools/read.txt is copied to dist/src/tools/read.txt. The same
// lines work in both (docs/decisions/0002-files-beside-their-code.md).
import fs from 'node:fs'
import path from 'node:path'
import { Visitor, parseSync } from 'rolldown/utils'

const ROOT_FILES = ['README.md', 'LICENSE', 'CHANGELOG.md']
const ASSETS = 'src/**/*.{md,txt,sql,css}'

/**
 * What is copied to dist under the same name. Its package.json is written by the build.
 * @param {string} root
 */
export function findAssets(root) {
  return [...ROOT_FILES, ...fs.globSync(ASSETS, { cwd: root, exclude: ['**/fixtures'] })]
}

/**
 * The plugin of the bundler. All bundles have to stand directly in dist.
 * @param {string} root
 * @param {Readonly<Record<string, string>>} programs sources that are started as processes of their own, and the names of
 *   their bundles: `{'src/exec/guard-process.ts': 'guard'}`
 */
export function ownPlace(root, programs = {}) {
  return {
    name: 'own-place',
    transform: {
      filter: { id: /\.ts$/, code: /import\.meta/ },
      /**
       * @param {string} code
       * @param {string} id
       */
      handler(code, id) {
        const place = slashed(path.relative(root, id))
        const ownUrl = `new URL(${JSON.stringify(`./${place}`)}, import.meta.url).href`
        const places = findPlaces(code, id, root, programs)
        // From the end, so that the offsets before it stay true.
        const replace = (/** @type {string} */ text, /** @type {Place} */ { start, end, bundle }) =>
          text.slice(0, start) + (bundle ? JSON.stringify(bundle) : ownUrl) + text.slice(end)
        return places.reduceRight(replace, code)
      },
    },
  }
}

/**
 * Where `import.meta.url` stands, or the name of a program, with the way to its bundle.
 * @typedef {{ start: number, end: number, bundle?: string }} Place
 */

/**
 * In the order of the text. Throws for what would not work once bundled.
 * @param {string} code
 * @param {string} id
 * @param {string} root
 * @param {Readonly<Record<string, string>>} programs
 */
function findPlaces(code, id, root, programs) {
  /** @type {Place[]} */
  const places = []
  new Visitor({
    MemberExpression(node) {
      const name =
        node.object.type === 'MetaProperty' && node.property.type === 'Identifier' && node.property.name
      if (name === 'url') places.push(node)
      if (name === 'dirname' || name === 'filename') {
        throw new Error(
          `${id}: import.meta.${name} is the bundle's place, use new URL('...', import.meta.url)`,
        )
      }
    },
    NewExpression(node) {
      const [first, second] = node.arguments
      if (first?.type !== 'Literal' || typeof first.value !== 'string') return
      if (!second || code.slice(second.start, second.end) !== 'import.meta.url') return
      const folder = path.dirname(id)
      const program = programs[slashed(path.relative(root, path.resolve(folder, first.value)))]
      if (program === undefined) return requireAsset(first.value, id, root)
      const bundle = slashed(path.relative(folder, path.join(root, `${program}.js`)))
      places.push({ start: first.start, end: first.end, bundle })
    },
  }).visit(parseSync(id, code).program)
  return places
}

/** @param {string} relative */
function slashed(relative) {
  return relative.split(path.sep).join('/')
}

/**
 * @param {string} relative
 * @param {string} id
 * @param {string} root
 */
function requireAsset(relative, id, root) {
  const target = path.resolve(path.dirname(id), relative)
  const isFolder = relative.endsWith('/') && fs.existsSync(target)
  if (isFolder || ['package.json', ...findAssets(root)].includes(path.relative(root, target))) return
  throw new Error(`${id}: ${relative} is not copied to dist; ${ASSETS} and ${ROOT_FILES.join(', ')} are`)
}
