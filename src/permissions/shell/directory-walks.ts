import type { Arguments } from './arguments.ts'
import type { Field, FileUse, Walk } from './field.ts'
import { staticField } from './field.ts'

/** When and how a program reads all files below a directory. Option names are as written. */
export interface WalkTable {
  /** Options that make it walk; absent: it always walks. */
  readonly when?: string
  /** Options without which it skips hidden files; absent: it includes them. */
  readonly hidden?: string
  /** Options that make it follow links. */
  readonly links?: string
  /** Options whose value is a glob that selects names; `!` before the glob excludes them. */
  readonly names?: string
  /** Options that select file types. */
  readonly types?: string
  /** Options that make it print only names. */
  readonly lists?: string
  /** Without an operand it walks the current directory. */
  readonly here?: boolean
}

/** How the program selects files below its operands; null: it does not walk. */
export function walkOf(table: WalkTable | undefined, { options }: Arguments): Walk | null {
  const has = (names = '') => options.some(({ name }) => isOneOf(name, names))
  if (table === undefined || (table.when !== undefined && !has(table.when)) || has(table.lists)) return null
  return walkBy(table, options)
}

/** Like `walkOf`, for a program that does walk. */
export function walkBy(table: WalkTable, options: Arguments['options']): Walk {
  const has = (names = '') => options.some(({ name }) => isOneOf(name, names))
  return {
    names: namesOf(table, options),
    hidden: table.hidden === undefined || has(table.hidden),
    links: has(table.links),
    look: true,
  }
}

/** A long option may be abbreviated: `--dereference-rec`. */
function isOneOf(name: string, names: string): boolean {
  return names.split(' ').some((each) => each === name || (/^--\w/.test(name) && each.startsWith(name)))
}

export const HERE: Field = staticField('.')

/** Expands the operands that a program walks into file uses. */
export function walkUses(
  access: FileUse['access'],
  fields: readonly Field[],
  walk: Walk,
): readonly FileUse[] {
  return fields.map((field) => ({ access, field, walk }))
}

const TYPES: Readonly<Record<string, string>> = {
  ts: '*.ts *.tsx *.cts *.mts',
  js: '*.js *.jsx *.cjs *.mjs *.vue',
  py: '*.py *.pyi',
  python: '*.py *.pyi',
  rust: '*.rs',
  go: '*.go',
  java: '*.java *.jsp *.jspx *.properties',
  c: '*.[chH] *.[chH].in *.cats',
  css: '*.css *.scss',
  html: '*.htm *.html *.ejs',
  md: '*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn',
  rb: '*.rb *.gemspec *.rbw Gemfile Rakefile config.ru .irb_history',
}

function namesOf(table: WalkTable, options: Arguments['options']): readonly string[] | null {
  const valuesOf = (names = '') =>
    options.flatMap(({ name, value }) => (names.split(' ').includes(name) && value ? [value.text] : []))
  const globs = valuesOf(table.names).filter((glob) => !glob.startsWith('!'))
  const types = valuesOf(table.types).map((type) => TYPES[type]?.split(' '))
  // globs and types of rg each narrow the search, so either list alone covers all names
  const known = types.every((each) => each !== undefined) ? types.flat() : []
  const names = globs.length > 0 ? globs : known.filter((name) => name !== undefined)
  return names.length === 0 ? null : names.map((name) => name.slice(name.lastIndexOf('/') + 1))
}
