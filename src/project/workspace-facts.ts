import { closeSync, constants, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { WorkspaceFacts } from '../core/workspace-facts.ts'
import { createWorkspace } from '../tools/workspace.ts'

const MAX_BYTES = 64 * 1024
const NOTES = ['AGENTS.md', 'CLAUDE.md']

/**
 * What the first context tells of a directory. What cannot be read is left out: the agent finds out by its tools.
 * `top`: of the workspace, if the directory is in one.
 */
export function readWorkspaceFacts(root: string, top: string = root): WorkspaceFacts {
  const branch = gitBranch(root)
  const notes = nearestNotes(root, top)
  return {
    root,
    vcs: branch === undefined ? null : { branch, state: 'changes not known' },
    entries: topLevel(root),
    ...(notes ? { notes } : {}),
  }
}

function topLevel(root: string): string[] {
  const entries = attempt(() => readdirSync(root, { withFileTypes: true })) ?? []
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort()
}

/** The branch, or the commit, of the nearest repository; undefined where there is none. */
function gitBranch(root: string): string | undefined {
  return ancestors(root)
    .map(headOf)
    .find((each) => each !== undefined)
}

/** In a worktree and in a submodule `.git` is a file that names the directory. */
function headOf(directory: string): string | undefined {
  const dotGit = join(directory, '.git')
  const link = attempt(() => readHead(dotGit))
  const place = link === undefined ? '.git' : /^gitdir: (.+?)\r?$/m.exec(link)?.[1]
  const head = place && attempt(() => readHead(join(resolve(directory, place), 'HEAD')))
  return (head && HEAD.exec(head)?.slice(1).find(Boolean)) || undefined
}

/** `.git` may lead to any file that is named HEAD: of what has another shape nothing is told. */
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
    const { absolute, outside, guarded } = repository.resolve(path)
    const text = outside || guarded ? undefined : attempt(() => readHead(absolute, constants.O_NOFOLLOW))
    if (text !== undefined) return { path, text }
  }
  return undefined
}

function ancestors(directory: string): string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...ancestors(parent)]
}

/** The first bytes of a regular file: what is no file must not keep the start waiting, and nobody reads more of it. */
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
