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
import { join, relative, resolve } from 'node:path'
import { SandboxError } from '../../exec/sandbox/sandbox-error.ts'
import { guardOf } from '../guarded-files.ts'
import type { MovedAway } from '../command-cell.ts'

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
  const found = new Found()
  for (const directory of directories) found.addDirectory(directory)
  const appeared = () => found.watches.flatMap((watch) => watch())
  return {
    readOnly: found.readOnly,
    pinned: found.pinned,
    repositories: found.repositories,
    appeared,
    moveAway: () => {
      const moved = appeared().flatMap(rename)
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

  addDirectory(directory: string): void {
    const names = new Set(readdirSync(directory).filter(isProtected))
    for (const name of names) this.#add(join(directory, name), () => this.#addGit(join(directory, name)))
    const github = join(directory, '.github')
    const isKnown = stats(github)?.isDirectory() ?? false
    if (isKnown) this.#addParts(github, GITHUB_PARTS)
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
    if (stats(join(path, 'config'))?.isFile()) this.#addParts(path, GIT_PARTS)
    else this.readOnly.push(path)
  }

  #addParts(directory: string, parts: readonly string[]): void {
    this.pinned.push(directory)
    const [present, absent] = [
      parts.filter((part) => stats(join(directory, part))),
      parts.filter((part) => !stats(join(directory, part))),
    ]
    for (const part of present)
      this.#add(join(directory, part), () => this.readOnly.push(join(directory, part)))
    this.watches.push(() => absent.map((part) => join(directory, part)).filter(stats))
  }

  /** A linked worktree writes to its repository. That it belongs to it the repository says too, which no agent writes. */
  #addWorktree(file: string): void {
    try {
      const own = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
      const directory = realpathSync(resolve(file, '..', own))
      if (readFileSync(join(directory, 'gitdir'), 'utf8').trim() !== file) return
      const repository = realpathSync(
        resolve(directory, readFileSync(join(directory, 'commondir'), 'utf8').trim()),
      )
      if (relative(repository, directory).split('/')[0] !== 'worktrees') return
      this.repositories.push(repository)
      this.#addParts(repository, GIT_PARTS)
      this.pinned.push(join(repository, 'worktrees'))
      this.#addParts(directory, GIT_PARTS)
      this.readOnly.push(join(directory, 'gitdir'))
    } catch {
      // Without its repository the worktree is a directory of files.
    }
  }
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

/** In its directory: what was moved elsewhere could be lost. @throws where that cannot be done. */
function rename(from: string): MovedAway[] {
  for (let n = 1; ; n += 1) {
    const to = `${from}.quarantined-${n}`
    if (stats(to)) continue
    renameSync(from, to)
    return [{ from, to }]
  }
}
