// The texts of tools and the like are files beside their code. In the library's bundle they are data, so that another
// bundler can make one file of a program that uses it.
import fs from 'node:fs'
import path from 'node:path'

const VIRTUAL = 'own-texts'
const TEXTS = 'src/**/*.{txt,sql,css}'
const READ = /\breadFileSync\((?=new URL\(|TEXT\b)/g

/**
 * The plugin of the bundler.
 * @param {string} root
 */
export function ownTexts(root) {
  return {
    name: VIRTUAL,
    /** @param {string} id */
    resolveId: (id) => (id === VIRTUAL ? `\0${VIRTUAL}` : null),
    /** @param {string} id */
    load: (id) => (id === `\0${VIRTUAL}` ? moduleOf(root) : null),
    transform: {
      filter: { id: /\/src\/.*\.ts$/, code: READ },
      /** @param {string} code */
      handler: (code) => `import { readOwnText } from '${VIRTUAL}'\n${code.replaceAll(READ, 'readOwnText(')}`,
    },
  }
}

/** @param {string} root */
function moduleOf(root) {
  const names = fs
    .globSync(TEXTS, { cwd: root, exclude: ['**/fixtures'] })
    .map((name) => name.replaceAll('\\', '/'))
  const texts = names.toSorted().map((name) => [name, fs.readFileSync(path.join(root, name), 'utf8')])
  return `const texts = ${JSON.stringify(Object.fromEntries(texts))}
export function readOwnText({ pathname }) {
  const found = Object.keys(texts).find((name) => pathname.endsWith('/' + name))
  if (found === undefined) throw new Error(pathname + ' is not in the bundle')
  return texts[found]
}
`
}
