import { basename, dirname, relative, resolve } from 'node:path'

/** The text of a file, or why it is not read. */
export type NoteFile = { readonly text: string } | { readonly problem: string }

interface Note {
  readonly path: string
  readonly text: string
}

const MAX_DEPTH = 5
const MAX_IMPORTS = 50
/** At most this many reasons are listed; the others are counted. */
const MAX_PROBLEMS = 20
/** No system has longer paths. */
const MAX_PATH_CHARS = 4_096
const MAX_ALL_CHARS = 64 * 1024
/** Claude Code and Gemini CLI import by `@path`; in an AGENTS.md that is plain text. */
const IMPORTING = new Set(['CLAUDE.md', 'GEMINI.md'])

/** The text of notes, followed by the imported files, each once. The first refused imports are listed with the reason. */
export function withImports(note: Note, read: (path: string) => NoteFile): string {
  if (!IMPORTING.has(basename(note.path))) return note.text
  const top = dirname(note.path)
  const imports: Imports = { top, read, done: new Set([note.path]), parts: [note.text], unread: new Set() }
  follow(note, [note.path], imports)
  const more = imports.unread.size - MAX_PROBLEMS
  const rest = more > 0 ? [`(and ${more} more imports were not read)`] : []
  return [...imports.parts, ...rest].join('\n\n')
}

interface Imports {
  /** Base of displayed paths. */
  readonly top: string
  readonly read: (path: string) => NoteFile
  readonly done: Set<string>
  readonly parts: string[]
  /** Each import that was not read, by the file that it stands in. */
  readonly unread: Set<string>
}

function follow({ path, text }: Note, chain: readonly string[], imports: Imports): void {
  const { top, read, done, parts, unread } = imports
  const from = relative(top, path)
  for (const written of importsIn(text)) {
    const target = resolve(dirname(path), written)
    const key = `${path}\n${target}`
    if (unread.has(key)) continue
    const given = problemOf(written, target, chain, imports) ?? (done.has(target) ? undefined : read(target))
    if (!given) continue
    if (done.size <= MAX_IMPORTS) done.add(target)
    if ('problem' in given) {
      // A word such as `@team` is not an import.
      if (NO_IMPORTS.has(given.problem) && !LOOKS_LIKE_FILE.test(written)) continue
      unread.add(key)
      if (unread.size <= MAX_PROBLEMS)
        parts.push(`(${from} imports ${written}, which was not read: ${given.problem})`)
      continue
    }
    parts.push(`(${from} imports ${written}:)\n${given.text}`)
    follow({ path: target, text: given.text }, [...chain, target], imports)
  }
}

export const NO_FILE = 'there is no such file'
const TOO_MANY = `a notes file may have at most ${MAX_IMPORTS} imports`
const FILLED = 'earlier imports used up the space for notes'
const NO_IMPORTS: ReadonlySet<string> = new Set([NO_FILE, TOO_MANY, FILLED])
const LOOKS_LIKE_FILE = /\.\w+$/

function problemOf(
  written: string,
  target: string,
  chain: readonly string[],
  { top, done, parts }: Imports,
): NoteFile | undefined {
  if (written.startsWith('~')) return { problem: 'a project does not import files of your home directory' }
  if (chain.includes(target)) {
    const cycle = [...chain.slice(chain.indexOf(target)), target].map((path) => relative(top, path))
    return { problem: `it imports itself: ${cycle.join(' > ')}` }
  }
  if (done.size > MAX_IMPORTS && !done.has(target)) return { problem: TOO_MANY }
  if (chain.length > MAX_DEPTH) return { problem: `imports nest at most ${MAX_DEPTH} files deep` }
  const chars = parts.reduce((sum, part) => sum + part.length, 0)
  return chars > MAX_ALL_CHARS ? { problem: FILLED } : undefined
}

/** The paths after `@`, as written; none in code. */
function importsIn(text: string): string[] {
  const prose = withoutFences(text).replace(CODE_SPAN, ' ')
  const paths = [...prose.matchAll(IMPORT)].map(([, path]) => withoutPunctuation(path!))
  return paths.filter(({ length }) => length > 0 && length <= MAX_PATH_CHARS)
}

/** Scans by hand: a pattern would take quadratic time for signs that are not at the end. */
function withoutPunctuation(path: string): string {
  let end = path.length
  while (end > 0 && '.,;:!?)]'.includes(path[end - 1]!)) end--
  return path.slice(0, end)
}

const IMPORT = /(?<=^|[\s(])@([\w./~-]\S*)/gm
/** Ends at the next run of equally many backticks, before an empty line. */
const CODE_SPAN = /(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n)[^])*?(?<!`)\1(?!`)/g

function withoutFences(text: string): string {
  let fence: string | undefined
  const lines = text.split('\n').map((line) => {
    const [, marks = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
    if (fence === undefined) {
      if (marks) fence = marks
      return marks ? '' : line
    }
    if (marks.startsWith(fence) && line.trim() === marks) fence = undefined
    return ''
  })
  return lines.join('\n')
}
