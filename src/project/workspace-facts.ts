import { closeSync, constants, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { ProjectNotes, WorkspaceFacts } from '../core/workspace-facts.ts'
import type { Workspace } from '../tools/port.ts'
import { createWorkspace } from '../tools/workspace.ts'
import { NO_FILE, withImports, type NoteFile } from './note-imports.ts'

const MAX_BYTES = 64 * 1024
const NOTES = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md']
const MAX_NESTED = 20
const MAX_NESTED_DEPTH = 3
const MAX_DIRECTORIES = 200
/** Directories with foreign files and programs. */
const FOREIGN = new Set(['node_modules', 'vendor'])
const isForeign = (name: string) => name.startsWith('.') || FOREIGN.has(name)

/**
 * Facts about a directory for the first context. Unreadable ones are left out: the agent can use its tools. `top`: of
 * the workspace, if the directory is in one.
 */
export function readWorkspaceFacts(root: string, top: string = root): WorkspaceFacts {
  const branch = gitBranch(root)
  const notes = nearestNotes(root, top)
  const nestedNotes = notesBelow(root)
  return {
    root,
    vcs: branch === undefined ? null : { branch, state: 'changes unknown' },
    entries: topLevel(root),
    ...(notes ? { notes } : {}),
    ...(nestedNotes.length > 0 ? { nestedNotes } : {}),
  }
}

function topLevel(root: string): string[] {
  const entries = attempt(() => readdirSync(root, { withFileTypes: true })) ?? []
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort()
}

/** Branch or commit of the nearest repository; undefined if there is none. */
function gitBranch(root: string): string | undefined {
  return ancestors(root)
    .map(headOf)
    .find((each) => each !== undefined)
}

/** In a worktree or a submodule, `.git` is a file that names the directory. */
function headOf(directory: string): string | undefined {
  const dotGit = join(directory, '.git')
  const link = attempt(() => readHead(dotGit))
  const place = link === undefined ? '.git' : /^gitdir: (.+?)\r?$/m.exec(link)?.[1]
  const head = place && attempt(() => readHead(join(resolve(directory, place), 'HEAD')))
  return (head && HEAD.exec(head)?.slice(1).find(Boolean)) || undefined
}

/** `.git` may lead to any file named HEAD: content of another form is ignored. */
const HEAD = /^(?:ref: refs\/heads\/([^\s\p{Cc}]{1,255})|([0-9a-f]{40,64}))\s*$/u

/**
 * The nearest notes win: the directory's own before those above, up to the top of its repository or of the workspace. A
 * link to a place outside, or to a guarded file, is ignored, because its text would reach the model without asking.
 */
function nearestNotes(root: string, top: string): ProjectNotes | undefined {
  const above = ancestors(root)
  const own = above.slice(
    0,
    Math.max(
      above.findIndex((directory) => headOf(directory) !== undefined),
      above.indexOf(top),
      0,
    ) + 1,
  )
  const found = firstNotes(own, own.at(-1)!, top)
  return found && { path: found.path, text: found.read() }
}

/** Notes that are there. */
export interface FoundNotes {
  readonly path: string
  /** Their text, with the files that they import. */
  read(): string
}

/**
 * The nearest notes of the directories between a file and `top`, except those of `root` and above it: the first context of an
 * agent that works in `root` has what counts there.
 */
export function findNotesFor(file: string, root: string, top: string = root): FoundNotes | undefined {
  const path = relative(top, dirname(file)).split(sep)
  if (path[0] === '..' || path.some(isForeign)) return undefined
  const known = new Set(ancestors(root))
  const own = ancestors(dirname(file)).slice(0, path.length)
  return firstNotes(
    own.filter((directory) => !known.has(directory)),
    top,
    top,
  )
}

/** The first of these directories that has notes within `repository`. */
function firstNotes(directories: readonly string[], repository: string, top: string): FoundNotes | undefined {
  const bound = attempt(() => createWorkspace(repository))
  if (!bound) return undefined
  for (const path of directories.flatMap((directory) => NOTES.map((name) => join(directory, name)))) {
    const note = readNote(bound, path)
    if ('problem' in note) continue
    // no further than the run may read without asking, or the author of the notes could write
    const bounds = [top, dirname(path)].flatMap((each) => attempt(() => createWorkspace(each)) ?? [])
    return {
      path,
      read: () => withImports({ path, text: note.text }, (each) => readWithin(bounds, each)),
    }
  }
  return undefined
}

function readWithin(bounds: readonly Workspace[], path: string): NoteFile {
  const [bound = bounds[0]!] = bounds.filter((each) => !each.resolve(path).outside)
  return readNote(bound, path)
}

function readNote(repository: Workspace, path: string): NoteFile {
  const { absolute, outside, guarded } = repository.resolve(path)
  if (outside) return { problem: 'it is outside the workspace' }
  if (guarded) return { problem: 'files of this kind are read only with your approval' }
  const text = attempt(() => readHead(absolute, constants.O_NOFOLLOW))
  return text === undefined ? { problem: NO_FILE } : { text }
}

/** Notes of subdirectories, breadth first; for each directory, the first valid file. */
function notesBelow(root: string): string[] {
  const found: string[] = []
  let level = [root]
  let directories = 0
  for (let depth = 0; depth <= MAX_NESTED_DEPTH && level.length > 0; depth++) {
    const below: string[] = []
    for (const directory of level) {
      if (++directories > MAX_DIRECTORIES) return found
      const entries = attempt(() => readdirSync(directory, { withFileTypes: true })) ?? []
      const note = NOTES.find((name) => entries.some((entry) => entry.name === name && entry.isFile()))
      if (note && depth > 0) found.push(relative(root, join(directory, note)))
      if (found.length === MAX_NESTED) return found
      const own = entries.filter((entry) => entry.isDirectory() && !isForeign(entry.name))
      below.push(...own.map(({ name }) => join(directory, name)))
    }
    level = below.toSorted()
  }
  return found
}

function ancestors(directory: string): string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...ancestors(parent)]
}

/** The first bytes of a regular file: other kinds could block the start, and nobody reads more of it. */
function readHead(path: string, flags = 0): string {
  if (!statSync(path).isFile()) throw new Error('not a regular file')
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags)
  try {
    const bytes = Buffer.alloc(MAX_BYTES)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, MAX_BYTES, 0))
  } finally {
    closeSync(file)
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
