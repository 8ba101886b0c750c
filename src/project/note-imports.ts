import { basename, dirname, relative, resolve } from 'node:path'

/** The text of a file, or why it is not read. */
export type NoteFile = { readonly text: string } | { readonly problem: string }

interface Note {
  readonly path: string
  readonly text: string
}

const MAX_DEPTH = 5
const MAX_IMPORTS = 50
/** No system has longer ones. */
const MAX_PATH_CHARS = 4_096
const MAX_ALL_CHARS = 64 * 1024
/** Claude Code and Gemini CLI import by `@path`; in an AGENTS.md that is only text. */
const IMPORTING = new Set(['CLAUDE.md', 'GEMINI.md'])

/** The text of notes, followed by the files that it imports, each once. What is not imported is named with the reason. */
export function withImports(note: Note, read: (path: string) => NoteFile): string {
  if (!IMPORTING.has(basename(note.path))) return note.text
  const imports: Imports = { top: dirname(note.path), read, done: new Set([note.path]), parts: [note.text] }
  follow(note, [note.path], imports)
  return imports.parts.join('\n\n')
}

interface Imports {
  /** Paths are shown from here. */
  readonly top: string
  readonly read: (path: string) => NoteFile
  readonly done: Set<string>
  readonly parts: string[]
}

function follow({ path, text }: Note, chain: readonly string[], imports: Imports): void {
  const { top, read, done, parts } = imports
  const from = relative(top, path)
  for (const written of importsIn(text)) {
    if (done.size > MAX_IMPORTS) return
    const target = resolve(dirname(path), written)
    const given = problemOf(written, target, chain, imports) ?? (done.has(target) ? undefined : read(target))
    if (!given) continue
    done.add(target)
    if ('problem' in given) {
      // A word such as `@team` is no import.
      if (given.problem !== NO_FILE || LOOKS_LIKE_FILE.test(written))
        parts.push(`(${from} imports ${written}, which was not read: ${given.problem})`)
      continue
    }
    parts.push(`(${from} imports ${written}:)\n${given.text}`)
    follow({ path: target, text: given.text }, [...chain, target], imports)
  }
}

export const NO_FILE = 'there is no such file'
const LOOKS_LIKE_FILE = /\.\w+$/

function problemOf(
  written: string,
  target: string,
  chain: readonly string[],
  { top, parts }: Imports,
): NoteFile | undefined {
  if (written.startsWith('~')) return { problem: 'a project does not import files of your home directory' }
  if (chain.includes(target)) {
    const cycle = [...chain.slice(chain.indexOf(target)), target].map((path) => relative(top, path))
    return { problem: `it imports itself: ${cycle.join(' > ')}` }
  }
  if (chain.length > MAX_DEPTH) return { problem: `imports nest at most ${MAX_DEPTH} files deep` }
  const chars = parts.reduce((sum, part) => sum + part.length, 0)
  return chars > MAX_ALL_CHARS ? { problem: 'earlier imports used up the space for notes' } : undefined
}

/** The paths after `@`, as written; none in code. */
function importsIn(text: string): string[] {
  const prose = withoutFences(text).replace(CODE_SPAN, ' ')
  const paths = [...prose.matchAll(IMPORT)].map(([, path]) => withoutPunctuation(path!))
  return paths.filter(({ length }) => length > 0 && length <= MAX_PATH_CHARS)
}

/** By hand: a pattern for it takes quadratic time where the signs do not stand at the end. */
function withoutPunctuation(path: string): string {
  let end = path.length
  while (end > 0 && '.,;:!?)]'.includes(path[end - 1]!)) end--
  return path.slice(0, end)
}

const IMPORT = /(?<=^|[\s(])@([\w./~-]\S*)/gm
/** It ends at the next equally long row of backticks, before an empty line. */
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
