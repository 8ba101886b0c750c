// `import` of a module of Node reads every export of it, and some of those load more: streams with `node:fs`, all of
// Web Crypto with `node:crypto`. What the command names of it is all that it needs, and is had without that.

const IMPORT = /^import (?:([\w$]+),? )?(?:\{ ([^}]*) \} )?(?:from )?"(node:[\w/]+)";$/gm

/** What commander starts the files of other commands with, of which there are none. */
const LATE = ['node:child_process']

/**
 * The plugin of the bundler, for files that the bundler has written: one import a line. `except`: a file that also a Node
 * reads which is too old for this.
 * @param {string} except
 */
export function lightBuiltins(except) {
  return {
    name: 'light-builtins',
    /**
     * @param {string} code
     * @param {{ readonly name: string }} chunk
     */
    renderChunk(code, { name }) {
      if (name === except) return null
      const light = code.replaceAll(IMPORT, (_, whole, names, id) => take(whole, names, id))
      const [left] = /^import [^'"]*"node:.*$/m.exec(light) ?? []
      if (left) throw new Error(`an import of Node that is not known: ${left}`)
      return light
    },
  }
}

/**
 * @param {string | undefined} whole
 * @param {string | undefined} names `a, b as c`
 * @param {string} id
 */
function take(whole, names, id) {
  if (!whole && !names) return ''
  const module = `process.getBuiltinModule("${id}")`
  if (whole && !names && LATE.includes(id))
    return `const ${whole} = new Proxy({}, { get: (_, name) => ${module}[name] });`
  const parts = names && `{ ${names.replaceAll(' as ', ': ')} }`
  const taken = [...(whole ? [`${whole} = ${module}`] : []), ...(parts ? [`${parts} = ${module}`] : [])]
  return `const ${taken.join(', ')};`
}
