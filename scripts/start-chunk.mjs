// Each command is loaded when it is typed, so the bundler would put every module that several of them share with others
// into a file of its own, and a start would read sixty. What the most used command needs is one file instead.
import path from 'node:path'

/** It does what has to come before all else: signals, and the cache of what Node compiles. */
const PROGRAM = 'src/cli/main.ts'
/** What is loaded between that and the work of `offshoot run`. */
const SOURCES = ['src/cli/start.ts', 'src/cli/commands/run.ts']

/** What a start reads has no comments and no long names of variables; stack traces name functions as the sources do. */
export const SMALLER = {
  compress: { keepNames: { function: true, class: true } },
  mangle: { keepNames: true },
  codegen: { removeWhitespace: true },
}

/**
 * The plugin of the bundler that sees which module imports which, and the options of the output that go with it.
 * @param {string} root
 */
export function startChunk(root) {
  /** @type {Map<string, readonly string[]>} */
  const imports = new Map()
  const place = (/** @type {string} */ source) => path.join(root, source)
  const group = (
    /** @type {string} */ name,
    /** @type {readonly string[]} */ sources,
    /** @type {number} */ priority,
  ) => {
    /** @type {ReadonlySet<string> | undefined} */
    let ids
    const isOf = (/** @type {string} */ id) => (ids ??= reached(imports, sources.map(place))).has(id)
    return { name, priority, test: (/** @type {string} */ id) => id !== place(PROGRAM) && isOf(id) }
  }
  const plugin = {
    name: 'start-chunk',
    /** @param {{ id: string, importedIds: readonly string[] }} module */
    moduleParsed({ id, importedIds }) {
      imports.set(id, importedIds)
    },
  }
  return { plugin, codeSplitting: { groups: [group('first', [PROGRAM], 2), group('start', SOURCES, 1)] } }
}

/**
 * They and all that they import, whatever is imported when it is needed left out.
 * @param {ReadonlyMap<string, readonly string[]>} imports
 * @param {readonly string[]} ids
 */
function reached(imports, ids) {
  const all = new Set(ids)
  for (const id of all) {
    const next = imports.get(id)
    if (!next && ids.includes(id)) throw new Error(`${id} is no part of the bundle any more`)
    for (const each of next ?? []) all.add(each)
  }
  return all
}
