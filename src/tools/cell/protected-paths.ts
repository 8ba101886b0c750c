import {
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  symlinkSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { SandboxError } from '../../exec/sandbox/sandbox-error.ts'
import { guardOf } from '../guarded-files.ts'
import type { MovedAway } from '../command-cell.ts'
import { isWithin } from './is-within.ts'

/**
 * What commands may not change in the directories of a run: git's settings and hooks, the program's own settings, agents and
 * skills, and those of other programs that run what stands in them. What is not there cannot be mounted; it is looked for
 * after each command.
 */
export interface Protection {
  readonly readOnly: readonly string[]
  readonly pinned: readonly string[]
  /** Directories of git outside, which a linked worktree needs. */
  readonly repositories: readonly string[]
  /** All of these. */
  readonly mounted: readonly string[]
  /** What has appeared or was exchanged since, by its path. */
  appeared(): readonly string[]
  /** Gives all of that another name, under which nobody reads it; returns both names. */
  moveAway(): readonly MovedAway[]
}

/** Parts of a repository that decide what git runs. */
const GIT_PARTS = ['config', 'config.worktree', 'hooks', 'modules', 'commondir']
/** Parts of .github that agents are read from. */
const GITHUB_PARTS = ['agents', 'hooks']

/** @throws SandboxError for what cannot be protected. */
export function protect(directories: readonly string[]): Protection {
  const found = new Found(directories)
  for (const directory of directories) found.addDirectory(directory)
  const appeared = () => found.watches.flatMap((watch) => watch())
  return {
    readOnly: found.readOnly,
    pinned: found.pinned,
    repositories: found.repositories,
    mounted: [...found.repositories, ...found.pinned, ...found.readOnly],
    appeared,
    moveAway: () => {
      const moved = renameAll(appeared())
      for (const [path, target] of found.links)
        if (!existsSync(path) && !stats(path)) symlinkSync(target, path)
      return moved
    },
  }
}

class Found {
  readonly readOnly: string[] = []
  readonly pinned: string[] = []
  readonly repositories: string[] = []
  /** Symlinks, which cannot be mounted: by their path what they lead to. */
  readonly links = new Map<string, string>()
  readonly watches: (() => readonly string[])[] = []
  readonly #directories: readonly string[]

  constructor(directories: readonly string[]) {
    this.#directories = directories
  }

  addDirectory(directory: string): void {
    this.#addBare(directory)
    const names = new Set(readdirSync(directory).filter(isProtected))
    for (const name of names) this.#add(join(directory, name), () => this.#addGit(join(directory, name)))
    const github = join(directory, '.github')
    const isKnown = stats(github)?.isDirectory() ?? false
    if (isKnown) {
      this.pinned.push(github)
      this.#addParts(github, GITHUB_PARTS)
    }
    this.watches.push(() => [
      ...readdirSync(directory)
        .filter((name) => isProtected(name) && !names.has(name))
        .map((name) => join(directory, name)),
      ...(!isKnown && holdsAgents(github) ? [github] : []),
    ])
  }

  /** `addGit`: what is done with the directory of a repository. */
  #add(path: string, addGit: () => void): void {
    const is = stats(path)
    if (!is) return
    if (is.isSymbolicLink()) return this.#addLink(path)
    if (is.isDirectory() && guardOf(path.slice(path.lastIndexOf('/') + 1)) === 'git') return addGit()
    if (is.isFile() && is.nlink > 1)
      throw new SandboxError(`${path} cannot be protected: the file has another name too (a hard link)`)
    this.readOnly.push(path)
    if (is.isFile() && path.endsWith('/.git')) this.#addWorktree(path)
  }

  /** Where it leads stays writable, if it can be written at all. */
  #addLink(path: string): void {
    const target = readlinkSync(path)
    this.links.set(path, target)
    this.watches.push(() => (isLinkTo(path, target) ? [] : stats(path) ? [path] : []))
  }

  #addGit(path: string): void {
    if (stats(join(path, 'config'))?.isFile()) this.#addRepository(path)
    else this.readOnly.push(path)
  }

  #addRepository(path: string): void {
    this.pinned.push(path)
    this.#addParts(path, GIT_PARTS)
    this.#addWorktreesOf(path)
  }

  /** Git takes a directory for a repository that has these files, if no better one is there. */
  #addBare(directory: string): void {
    if (!isRepository(directory))
      return void this.watches.push(() => (isRepository(directory) ? [join(directory, 'HEAD')] : []))
    this.#addParts(directory, GIT_PARTS)
    this.#addWorktreesOf(directory)
  }

  /** In other worktrees, people run git outside: what says where they have their settings is not for commands. */
  #addWorktreesOf(repository: string): void {
    const linked = join(repository, 'worktrees')
    if (!stats(linked)?.isDirectory()) return
    for (const name of readdirSync(linked)) {
      const entry = join(linked, name)
      if (stats(entry)?.isDirectory() && !this.#isShown(worktreeOf(entry))) this.readOnly.push(entry)
    }
  }

  #isShown(path: string | undefined): boolean {
    return path !== undefined && this.#directories.some((directory) => isWithin(directory, path))
  }

  #addParts(directory: string, parts: readonly string[]): void {
    const [present, absent] = [
      parts.filter((part) => stats(join(directory, part))),
      parts.filter((part) => !stats(join(directory, part))),
    ]
    for (const part of present)
      this.#add(join(directory, part), () => this.readOnly.push(join(directory, part)))
    this.watches.push(() => absent.map((part) => join(directory, part)).filter(stats))
  }

  /**
   * A linked worktree writes to its repository. That it belongs to it the repository says too, which no agent writes. A
   * repository may also stand in the directory under another name than .git.
   */
  #addWorktree(file: string): void {
    try {
      const own = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
      const directory = realpathSync(resolve(file, '..', own))
      if (this.#isShown(directory) && isRepository(directory)) return this.#addRepository(directory)
      if (worktreeOf(directory) !== dirname(file)) return
      const repository = realpathSync(
        resolve(directory, readFileSync(join(directory, 'commondir'), 'utf8').trim()),
      )
      if (relative(repository, directory).split('/')[0] !== 'worktrees') return
      this.repositories.push(repository)
      this.#addRepository(repository)
      this.pinned.push(join(repository, 'worktrees'), directory)
      this.#addParts(directory, GIT_PARTS)
      this.readOnly.push(join(directory, 'gitdir'))
    } catch {
      // Without its repository the worktree is a directory of files.
    }
  }
}

/** The directory of a linked worktree, of which this is the part in its repository. */
function worktreeOf(entry: string): string | undefined {
  try {
    return dirname(resolve(entry, readFileSync(join(entry, 'gitdir'), 'utf8').trim()))
  } catch {
    return undefined
  }
}

/** As git sees it, whatever is in these. */
function isRepository(directory: string): boolean {
  const has = (name: string) => stats(join(directory, name)) !== undefined
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')))
}

function isProtected(name: string): boolean {
  const guard = guardOf(name)
  return guard === 'git' || guard === 'config'
}

function holdsAgents(github: string): boolean {
  const is = stats(github)
  return is !== undefined && (is.isSymbolicLink() || GITHUB_PARTS.some((part) => stats(join(github, part))))
}

function isLinkTo(path: string, target: string): boolean {
  return (stats(path)?.isSymbolicLink() ?? false) && readlinkSync(path) === target
}

function stats(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** One that cannot be renamed keeps none of the others. @throws SandboxError for it. */
function renameAll(paths: readonly string[]): MovedAway[] {
  const failures: string[] = []
  const moved = paths.flatMap((path) => {
    try {
      return rename(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') failures.push(`${path} (${String(error)})`)
      return [] // who made it has removed it
    }
  })
  if (failures.length > 0)
    throw new SandboxError(`what may not be made in the sandbox cannot be renamed: ${failures.join(', ')}`)
  return moved
}

/** Longer names leave no room for more. */
const MAX_NAME_BYTES = 200

/** In its directory: what was moved elsewhere could be lost. */
function rename(from: string): MovedAway[] {
  const [directory, name] = [dirname(from), basename(from)]
  const isPlain = !isProtected(`${name}.quarantined-1`) && Buffer.byteLength(name) <= MAX_NAME_BYTES
  for (let n = 1; ; n += 1) {
    const to = join(directory, `${isPlain ? `${name}.` : ''}quarantined-${n}`)
    if (stats(to)) continue
    renameSync(from, to)
    return [{ from, to }]
  }
}
