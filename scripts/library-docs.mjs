// Writes docs/api.md from the doc comments of what src/index.ts and src/testing.ts export. Run it after a change there;
// test/library-docs.test.ts fails as long as the page is out of step.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'rolldown/utils'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGE = path.join(ROOT, 'docs/api.md')
const ENTRIES = { offshoot: 'src/index.ts', 'offshoot/testing': 'src/testing.ts' }

const INTRODUCTION = `# API reference

What the package exports, with the words that stand in its sources. [The library](library.md) tells how it is used.
Written by \`node scripts/library-docs.mjs\`.
`

/** The page as it has to be. */
export function apiPage() {
  const sections = Object.entries(ENTRIES).map(([name, file]) => {
    const exported = exportsOf(file).map(describe)
    return `## \`${name}\`\n\n${exported.join('\n')}`
  })
  return [INTRODUCTION, ...sections].join('\n')
}

/**
 * @typedef {{ name: string, file: string }} Export
 * @typedef {{ type: string, start: number, end: number }} Span
 * @typedef {Span & { id?: { name: string }, body?: Span, declarations?: readonly (Span & { id: Span & { name: string }, init?: Span })[] }} Declaration
 */

/** @param {string} file @returns {Export[]} */
function exportsOf(file) {
  const { program } = parseSync(file, fs.readFileSync(path.join(ROOT, file), 'utf8'))
  return program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' || !node.source) return []
    const from = path.join(path.dirname(file), node.source.value)
    return node.specifiers.map(({ exported }) => ({
      name: 'name' in exported ? exported.name : '',
      file: from,
    }))
  })
}

/** @param {Export} one */
function describe({ name, file }) {
  const text = fs.readFileSync(path.join(ROOT, file), 'utf8')
  const { program } = parseSync(file, text)
  for (const node of program.body) {
    const declaration = /** @type {Declaration | null} */ (
      node.type === 'ExportNamedDeclaration' ? node.declaration : null
    )
    if (!declaration || nameOf(declaration) !== name) continue
    const code = signature(text, declaration)
    return `### \`${name}\`\n\n${commentBefore(text, node.start)}\`\`\`ts\n${code}\n\`\`\`\n`
  }
  throw new Error(`${file} does not declare ${name}`)
}

/** @param {Declaration} declaration */
function nameOf({ id, declarations }) {
  return id?.name ?? declarations?.[0]?.id.name
}

/**
 * Functions without their bodies, constants without their values.
 * @param {string} text
 * @param {Declaration} declaration
 */
function signature(text, { type, start, end, body, declarations }) {
  if (type === 'FunctionDeclaration' && body) return text.slice(start, body.start).trim()
  const [first] = declarations ?? []
  return first ? `const ${text.slice(first.id.start, first.id.end)}` : text.slice(start, end)
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
