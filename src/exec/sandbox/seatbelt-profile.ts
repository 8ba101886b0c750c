import { dirname } from 'node:path'
import type { CellLayout } from './cell-layout.ts'

/** Of macOS, what commands read; /etc, /tmp and /var are symlinks into /private there. */
const SYSTEM_READ = [
  '/bin',
  '/sbin',
  '/usr',
  '/opt',
  '/nix',
  '/System',
  '/Library',
  '/Applications/Xcode.app',
  '/private/etc',
  '/private/var/db/timezone',
  '/private/var/select',
  '/dev',
]
const DEVICES = [
  '/dev/null',
  '/dev/zero',
  '/dev/random',
  '/dev/urandom',
  '/dev/tty',
  '/dev/stdout',
  '/dev/stderr',
]
/** Names of users and groups are asked of a service. */
const SERVICES = ['com.apple.system.opendirectoryd.libinfo', 'com.apple.system.opendirectoryd.membership']

/**
 * The profile for `sandbox-exec` that comes closest to a cell. No machine has run it, and nothing here starts it. The last
 * rule that fits decides, so what is protected stands last. It cannot give a command a loopback or a home of its own:
 * there is no network at all, and a home that cannot be read. `temporary`: a directory of the run's own for TMPDIR.
 */
export function seatbeltProfile(layout: CellLayout, temporary: string): string {
  const { writable, shown, readOnly, pinned, hidden } = layout
  const written = [...writable, temporary]
  const read = [...SYSTEM_READ, ...shown, ...written]
  const kept = [...new Set([...written, ...pinned, ...readOnly.flatMap((path) => above(path, writable))])]
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-fork)',
    '(allow process-exec)',
    '(allow process-info* (target same-sandbox))',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    ...rule('allow mach-lookup', 'global-name', SERVICES),
    ...rule('allow file-read-metadata', 'literal', [...new Set(['/', ...read.flatMap(ancestors)])]),
    ...rule('allow file-read*', 'subpath', read),
    ...rule('allow file-write*', 'subpath', written),
    ...rule('allow file-write-data', 'literal', DEVICES),
    // a directory that can be neither renamed nor removed keeps what is in it from being exchanged
    ...rule('deny file-write-unlink', 'literal', kept),
    ...rule('deny file-write*', 'subpath', readOnly),
    ...rule('deny file-read* file-write*', 'subpath', hidden),
    '',
  ].join('\n')
}

function rule(what: string, filter: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  return [`(${what}`, ...names.map((name) => `  (${filter} ${quoted(name)})`), ')']
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, String.raw`\$&`)}"`
}

function ancestors(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [] : [...ancestors(parent), parent]
}

/** The directories between what can be written and a path in it. */
function above(path: string, writable: readonly string[]): string[] {
  return ancestors(path).filter((each) => writable.some((top) => each.startsWith(`${top}/`)))
}
