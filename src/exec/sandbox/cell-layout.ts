import { existsSync, lstatSync, readlinkSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { once } from '../../core/once.ts'

/** What a cell shows of the machine. All paths are absolute and lead through no symlink. */
export interface CellLayout {
  /** Where commands begin. */
  readonly workspace: string
  /** Can be written, with the exceptions of `readOnly`; the workspace among them. */
  readonly writable: readonly string[]
  /** Empty in the cell, and gone with it; null where the user has none. */
  readonly home: string | null
  /** What can be read beside the system: directories of programs, and files of certificates. */
  readonly shown: readonly string[]
  /** Directories in what is writable that keep their names. */
  readonly pinned: readonly string[]
  /** What is there in what is writable and stays as it is, by itself and by the names of the directories above it. */
  readonly readOnly: readonly string[]
  /** What is there and cannot be seen. */
  readonly hidden: readonly string[]
}

/** Of the root directory, all that a cell shows: not what is mounted elsewhere, other homes, or sockets in /run. */
export const SYSTEM: readonly string[] = [
  'bin',
  'sbin',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'usr',
  'etc',
  'opt',
  'nix',
  'gnu',
]

/** The same for every cell: namespaces of its own, no rights, no way to new namespaces, and an end with its starter. */
export const ISOLATION: readonly string[] = [
  '--unshare-user',
  '--unshare-all',
  '--disable-userns',
  '--cap-drop',
  'ALL',
  '--die-with-parent',
  '--new-session',
  '--clearenv',
  '--hostname',
  'cell',
]

/** What each cell has for itself. */
const OWN: readonly (readonly string[])[] = [
  ['--dev', '/dev'],
  ['--proc', '/proc'],
  ['--tmpfs', '/tmp'],
  ['--tmpfs', '/run'],
  ['--tmpfs', '/var'],
  ['--dir', '/var/tmp'],
  ['--symlink', '../run', '/var/run'],
]

/**
 * Settings of the machine's kernel. They belong to root, and a cell of root would write to them: one names a program that the
 * kernel starts outside when another one crashes.
 */
const OF_KERNEL: readonly string[] = [
  'sys',
  'sysrq-trigger',
  'acpi',
  'asound',
  'bus',
  'driver',
  'dynamic_debug',
  'fs',
  'irq',
  'mtrr',
  'scsi',
].map((name) => `/proc/${name}`)

/** Root is an ordinary user in a cell; others keep their numbers. */
export function userArguments(): string[] {
  const { uid, gid } = cellUser()
  return ['--uid', String(uid), '--gid', String(gid)]
}

function cellUser(): { readonly uid: number; readonly gid: number } {
  const uid = process.getuid?.() ?? 0
  return uid === 0 ? { uid: 1000, gid: 1000 } : { uid, gid: process.getgid?.() ?? uid }
}

/** /etc/passwd and /etc/group of a cell: the user must have a name, and nobody else is of interest. */
export function userFiles(home: string | null): { readonly passwd: string; readonly group: string } {
  const { uid, gid } = cellUser()
  const nobody = uid === 65534 ? '' : 'nobody:x:65534:65534::/:/bin/false\n'
  const nogroup = gid === 65534 ? '' : 'nogroup:x:65534:\n'
  return {
    passwd: `root:x:0:0::/:/bin/false\nagent:x:${uid}:${gid}::${home ?? '/tmp'}:/bin/sh\n${nobody}`,
    group: `root:x:0:\nagent:x:${gid}:\n${nogroup}`,
  }
}

/** The system, read-only, with a /proc, /dev, /tmp, /run and /var of the cell's own. */
export function systemArguments(): string[] {
  return [
    ...SYSTEM.flatMap((name) => systemPart(`/${name}`)),
    ...hiddenSettings().flatMap(maskArguments),
    ...OWN.flat(),
    ...(process.getuid?.() === 0
      ? OF_KERNEL.filter((path) => existsSync(path)).flatMap(readOnlyArguments)
      : []),
  ]
}

function readOnlyArguments(path: string): string[] {
  return ['--ro-bind', path, path]
}

/** Where the home, the workspace and the rest of a run are. */
export function layoutArguments(layout: CellLayout): string[] {
  const { home, shown, writable, readOnly, hidden } = layout
  return [
    ...(home === null ? [] : ['--tmpfs', home]),
    ...shown.flatMap((path) => ['--ro-bind', path, path]),
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...pins(layout).flatMap((path) => ['--bind', path, path]),
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...hidden.flatMap(maskArguments),
  ]
}

/** Where git looks for the settings of a person. */
export function settingsFile({ home }: CellLayout): string {
  return `${home ?? '/tmp'}/.gitconfig`
}

/** Mount points that a cell has as long as its protection holds. */
export function protectedMounts(layout: CellLayout): string[] {
  return [...new Set([...pins(layout), ...layout.readOnly])]
}

/**
 * A directory that is a mount point cannot be renamed, so that what is in it cannot be exchanged by way of its name. The
 * outermost first.
 */
function pins({ writable, pinned, readOnly, hidden }: CellLayout): string[] {
  const between = [...readOnly, ...hidden].flatMap((path) => {
    const top = writable.find((each) => path.startsWith(each + sep))
    return top === undefined ? [] : directoriesBetween(top, path)
  })
  return [...new Set([...pinned, ...between])].toSorted((a, b) => a.length - b.length)
}

/** Those below `top` and above `path`. */
function directoriesBetween(top: string, path: string): string[] {
  const above = dirname(path)
  return above.startsWith(top + sep) ? [above, ...directoriesBetween(top, above)] : []
}

function systemPart(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return []
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

function maskArguments(path: string): string[] {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  return isDirectory ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path]
}

/** Looked up once: there are a thousand files, and who makes another one that nobody may read knows of no cell. */
const hiddenSettings = once(() => unreadableByOthers('/etc'))

/**
 * What not everybody may read: keys, hashes of passwords, connections. A cell of root could read them, as its files are
 * root's. Symlinks are left out: what they lead to is looked at where it is.
 */
function unreadableByOthers(directory: string): string[] {
  if (!existsSync(directory)) return []
  const found: string[] = []
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(directory, entry.name)
    const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0
    if (entry.isDirectory() ? (mode & 5) !== 5 : (mode & 4) === 0) found.push(path)
    else if (entry.isDirectory()) found.push(...unreadableByOthers(path))
  }
  return found
}
