import { closeSync, constants, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { WorkspaceFacts } from '../core/workspace-facts.ts'
import type { Workspace } from '../tools/port.ts'
import { createWorkspace } from '../tools/workspace.ts'
import { NO_FILE, withImports, type NoteFile } from './note-imports.ts'

const MAX_BYTES = 64 * 1024
const NOTES = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md']
const MAX_NESTED = 20
const MAX_NESTED_DEPTH = 3
const MAX_DIRECTORIES = 200
/** Directories of other people's files. */
const FOREIGN = new Set(['node_modules', 'vendor'])

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
 * The nearest notes win: those of the directory itself before those above it, up to the top of its repository or of the workspace. A link
 * that leads out of there, or to what is guarded, is none: its text would go to the model unasked.
 */
function nearestNotes(root: string, top: string): { path: string; text: string } | undefined {
  const above = ancestors(root)
  const own = above.slice(
    0,
    Math.max(
      above.findIndex((directory) => headOf(directory) !== undefined),
      above.indexOf(top),
      0,
    ) + 1,
  )
  const repository = attempt(() => createWorkspace(own.at(-1)!))
  if (!repository) return undefined
  for (const path of own.flatMap((directory) => NOTES.map((name) => join(directory, name)))) {
    const note = readNote(repository, path)
    if ('problem' in note) continue
    // no further than the run may read unasked, or than whoever wrote the notes could write
    const bounds = [top, dirname(path)].flatMap((each) => attempt(() => createWorkspace(each)) ?? [])
    return { path, text: withImports({ path, text: note.text }, (each) => readWithin(bounds, each)) }
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
      const own = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      below.push(
        ...own.map(({ name }) => join(directory, name)).filter((path) => !FOREIGN.has(basename(path))),
      )
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
