// A module finds the files beside it with `new URL('./name.txt', import.meta.url)`. In a bundle import.meta.url is the
// bundle's place, so each module is given the place that it has in the repository, with dist/ as its root: in
// src/tools/read.ts it is dist/src/tools/read.ts, and src/tools/read.txt is copied to dist/src/tools/read.txt. The same
// lines work in both (docs/decisions/0002).
import fs from 'node:fs'
import path from 'node:path'
import { Visitor, parseSync } from 'rolldown/utils'

const ROOT_FILES = ['README.md', 'LICENSE', 'CHANGELOG.md']
const ASSETS = 'src/**/*.{md,txt,sql}'

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
 */
export function ownPlace(root) {
  return {
    name: 'own-place',
    transform: {
      filter: { id: /\.ts$/, code: /import\.meta/ },
      /**
       * @param {string} code
       * @param {string} id
       */
      handler(code, id) {
        const places = findPlaces(code, id, root)
        const place = path.relative(root, id).split(path.sep).join('/')
        const replacement = `new URL(${JSON.stringify(`./${place}`)}, import.meta.url).href`
        // From the end, so that the offsets before it stay true.
        const replace = (/** @type {string} */ text, /** @type {{ start: number, end: number }} */ at) =>
          text.slice(0, at.start) + replacement + text.slice(at.end)
        return places.reduceRight(replace, code)
      },
    },
  }
}

/**
 * Where `import.meta.url` stands. Throws for what would not work once bundled.
 * @param {string} code
 * @param {string} id
 * @param {string} root
 */
function findPlaces(code, id, root) {
  /** @type {{ start: number, end: number }[]} */
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
      if (second && code.slice(second.start, second.end) === 'import.meta.url')
        requireAsset(first.value, id, root)
    },
  }).visit(parseSync(id, code).program)
  return places
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
