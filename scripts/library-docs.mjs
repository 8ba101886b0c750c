// Writes docs/api.md from the doc comments of what src/index.ts and src/testing.ts export. Run it after a change there;
// test/library-docs.test.ts fails as long as the page is out of step.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Visitor, parseSync } from 'rolldown/utils'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGE = path.join(ROOT, 'docs/api.md')
const ENTRIES = { offshoot: 'src/index.ts', 'offshoot/testing': 'src/testing.ts' }

const INTRODUCTION = `# API reference

What the package exports, with the words that stand in its sources. [The library](library.md) tells how it is used.
Written by \`node scripts/library-docs.mjs\`.
`

/** Types of the language, which no section describes. */
const BUILT_IN = new Set(
  [
    'AbortSignal AsyncIterableIterator ErrorOptions Promise ReadonlyMap Uint8Array',
    'Exclude Extract Omit Partial Pick Readonly Record ReturnType',
  ].flatMap((names) => names.split(' ')),
)

/** Types that the exports name and that are not exported themselves. */
const NAMED = `## Types named above

They are not exported. A program gets them from the types that name them.
`

/** The page as it has to be. */
export function apiPage() {
  return pageOf(ENTRIES, (file) => fs.readFileSync(path.join(ROOT, file), 'utf8'))
}

/**
 * @typedef {{ name: string, local: string, file: string }} Export
 * @typedef {{ type: string, start: number, end: number }} Span
 * @typedef {Span & { id?: Span & { name: string }, body?: Span, declarations?: readonly (Span & { id: Span & { name: string }, init?: Span })[] }} Declaration
 * @typedef {(file: string) => string} Read
 * @typedef {import('rolldown/utils').ParseResult['program']} Program
 */

/**
 * @param {Readonly<Record<string, string>>} entries
 * @param {Read} read
 */
export function pageOf(entries, read) {
  const lists = Object.entries(entries).map(([title, file]) => ({ title, exported: exportsOf(file, read) }))
  const known = new Known(lists.flatMap(({ exported }) => exported))
  const sections = lists.map(
    ({ title, exported }) =>
      `## \`${title}\`\n\n${exported.map((each) => describe(each, known, read)).join('\n')}`,
  )
  const named = [...known.rest()].map((each) => describe(each, known, read))
  return [INTRODUCTION, ...sections, ...(named.length > 0 ? [NAMED, ...named] : [])].join('\n')
}

/** Every type of the page: what is exported, and what that names. */
class Known {
  /** @type {Map<string, Export>} */
  #byPlace = new Map()
  /** @type {Map<string, Export>} */
  #byName = new Map()
  /** @type {Export[]} */
  #rest = []

  /** @param {readonly Export[]} exported */
  constructor(exported) {
    for (const each of exported) this.#add(each)
  }

  /**
   * The name of a type on the page.
   * @param {string} local
   * @param {string} file
   */
  nameOf(local, file) {
    const known = this.#byPlace.get(`${file} ${local}`)
    if (known) return known.name
    const added = { name: local, local, file }
    this.#add(added)
    this.#rest.push(added)
    return local
  }

  /** Those that are not exported; each may name others. */
  *rest() {
    for (const each of this.#rest) yield each
  }

  /** @param {Export} each */
  #add(each) {
    const other = this.#byName.get(each.name)
    if (other)
      throw new Error(`${each.file} ${each.local} and ${other.file} ${other.local} are both ${each.name}`)
    this.#byName.set(each.name, each)
    this.#byPlace.set(`${each.file} ${each.local}`, each)
  }
}

/** @param {string} file @param {Read} read @returns {Export[]} */
function exportsOf(file, read) {
  const { program } = parseSync(file, read(file))
  return program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' || !node.source) return []
    const from = path.join(path.dirname(file), node.source.value)
    return node.specifiers.map(({ local, exported }) => ({
      name: 'name' in exported ? exported.name : '',
      local: 'name' in local ? local.name : '',
      file: from,
    }))
  })
}

/**
 * @param {Export} one
 * @param {Known} known
 * @param {Read} read
 */
function describe({ name, local, file }, known, read) {
  const text = read(file)
  const { program } = parseSync(file, text)
  for (const node of program.body) {
    const declaration = /** @type {Declaration | null} */ (
      node.type === 'ExportNamedDeclaration' ? node.declaration : node
    )
    if (!declaration || nameOf(declaration) !== local) continue
    const span = signature(declaration)
    const code = renamed(text, span, renames(program, declaration, { name, local, file }, known))
    return `### \`${name}\`\n\n${commentBefore(text, node.start)}\`\`\`ts\n${span.before}${code.trim()}\n\`\`\`\n`
  }
  throw new Error(`${file} does not declare ${local}`)
}

/**
 * Where a declaration names a type, and what the page calls it.
 * @param {Program} program
 * @param {Declaration} declaration
 * @param {Export} one
 * @param {Known} known
 * @returns {(Span & { name: string })[]}
 */
function renames(program, declaration, { name, local, file }, known) {
  const { start, end } = signature(declaration)
  const own = declaration.id ?? declaration.declarations?.[0]?.id
  const found =
    own && name !== local ? [{ type: '', start: own.start, end: own.start + local.length, name }] : []
  const places = placesOf(program, file)
  const parameters = new Set()
  new Visitor({
    TSTypeParameter: (node) => void parameters.add(node.name.name),
    TSMappedType: (node) => void parameters.add(node.key.name),
    TSInferType: (node) => void parameters.add(node.typeParameter.name.name),
  }).visit(program)
  new Visitor({
    TSTypeReference({ typeName }) {
      if (typeName.type !== 'Identifier' || typeName.start < start || typeName.end > end) return
      if (parameters.has(typeName.name) || BUILT_IN.has(typeName.name)) return
      const place = places.get(typeName.name)
      if (!place) throw new Error(`${file}: nothing declares ${typeName.name}, which ${local} names`)
      if (place.file) found.push({ ...typeName, name: known.nameOf(place.local, place.file) })
    },
  }).visit(program)
  return found
}

/**
 * Where the types come from that a file may name. Those of packages have no file.
 * @param {Program} program
 * @param {string} file
 */
function placesOf({ body }, file) {
  /** @type {Map<string, { local: string, file: string | undefined }>} */
  const places = new Map()
  for (const node of body) {
    if (node.type === 'ImportDeclaration') {
      const { value } = node.source
      const from = value.startsWith('.') ? path.join(path.dirname(file), value) : undefined
      for (const each of node.specifiers) {
        const imported =
          each.type === 'ImportSpecifier' && 'name' in each.imported ? each.imported.name : each.local.name
        places.set(each.local.name, { local: imported, file: from })
      }
    }
    const declared = nameOf(
      /** @type {Declaration} */ (node.type === 'ExportNamedDeclaration' ? (node.declaration ?? {}) : node),
    )
    if (declared) places.set(declared, { local: declared, file })
  }
  return places
}

/**
 * @param {string} text
 * @param {Span} span
 * @param {readonly (Span & { name: string })[]} names
 */
function renamed(text, { start, end }, names) {
  let code = ''
  let at = start
  for (const each of names.toSorted((a, b) => a.start - b.start)) {
    code += text.slice(at, each.start) + each.name
    at = each.end
  }
  return code + text.slice(at, end)
}

/** @param {Declaration} declaration */
function nameOf({ id, declarations }) {
  return id?.name ?? declarations?.[0]?.id.name
}

/**
 * Functions without their bodies, constants without their values.
 * @param {Declaration} declaration
 * @returns {Span & { before: string }}
 */
function signature({ type, start, end, body, declarations }) {
  if (type === 'FunctionDeclaration' && body) return { type, start, end: body.start, before: '' }
  const [first] = declarations ?? []
  return first
    ? { type, start: first.id.start, end: first.id.end, before: 'const ' }
    : { type, start, end, before: '' }
}

/**
 * The doc comment that ends where a declaration begins, as a paragraph.
 * @param {string} text
 * @param {number} start
 */
function commentBefore(text, start) {
  const [, comment] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*$/.exec(text.slice(0, start)) ?? []
  if (!comment) return ''
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
  return `${lines
    .join('\n')
    .trim()
    .replace(/(^|\s)@throws /g, '$1Throws ')}\n\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) fs.writeFileSync(PAGE, apiPage())
