import type { Arguments } from './arguments.ts'
import type { Field, FileUse, Walk } from './field.ts'
import { staticField } from './field.ts'

/** How a program comes to read all files below a directory. Names of options, as they are written. */
export interface WalkTable {
  /** Options that make it do so; absent: it always does. */
  readonly when?: string
  /** Options without which hidden files are left out; absent: it takes them. */
  readonly hidden?: string
  /** Options that make it follow links. */
  readonly links?: string
  /** Options whose value is a glob of the names that it takes; `!` before it leaves names out. */
  readonly names?: string
  /** Options that name a type of files. */
  readonly types?: string
  /** Options with which it prints names alone. */
  readonly lists?: string
  /** It takes the directory that it runs in where no operand names one. */
  readonly here?: boolean
}

/** How the files below the operands are taken; null: the program does not walk. */
export function walkOf(table: WalkTable | undefined, { options }: Arguments): Walk | null {
  const has = (names = '') => options.some(({ name }) => isOneOf(name, names))
  if (table === undefined || (table.when !== undefined && !has(table.when)) || has(table.lists)) return null
  return walkBy(table, options)
}

/** As above, for a program that does walk. */
export function walkBy(table: WalkTable, options: Arguments['options']): Walk {
  const has = (names = '') => options.some(({ name }) => isOneOf(name, names))
  return {
    names: namesOf(table, options),
    hidden: table.hidden === undefined || has(table.hidden),
    links: has(table.links),
    look: true,
  }
}

/** A long option may be cut short: `--dereference-rec`. */
function isOneOf(name: string, names: string): boolean {
  return names.split(' ').some((each) => each === name || (/^--\w/.test(name) && each.startsWith(name)))
}

export const HERE: Field = staticField('.')

/** The uses of operands that a program walks. */
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
  // Globs and types of rg each narrow the search; either list holds all names that are left.
  const known = types.every((each) => each !== undefined) ? types.flat() : []
  const names = globs.length > 0 ? globs : known.filter((name) => name !== undefined)
  return names.length === 0 ? null : names.map((name) => name.slice(name.lastIndexOf('/') + 1))
}
