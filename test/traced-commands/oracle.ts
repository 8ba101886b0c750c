import { basename, dirname } from 'node:path'
import type { Rule } from '../../src/core/agent.ts'
import { matchPattern, UNKNOWN } from '../../src/permissions/match-pattern.ts'
import type { Field } from '../../src/permissions/shell/field.ts'
import { guardOf } from '../../src/tools/guarded-files.ts'
import type { Lane, Traced } from './lane.ts'
import type { Decided, Setting } from './settings.ts'
import { nameOf, type Deed } from './trace.ts'

/** What a cell may never have let happen, whatever was decided. */
export function escapes({ root, home }: Lane, { deeds, changed }: Traced): string[] {
  const isOwn = (path: string) =>
    [root, home, '/tmp', '/var', '/run', '/dev'].some((place) => isWithin(place, path)) ||
    path.startsWith('/proc/')
  const outside = deeds.flatMap(({ kind, what, line }) => {
    if (kind === 'write' && what.startsWith('/') && !isOwn(what)) return [`it wrote ${what}: ${line}`]
    if (what.startsWith('/dev/') && /^\d+ +f?l?ch(mod|own)/.test(line))
      return [`it changed a device of the machine: ${line}`]
    if (kind === 'write' && isProtected(root, what)) return [`it changed what is protected, ${what}: ${line}`]
    return kind === 'connect' && !isLocal(what) ? [`it connected to ${what}: ${line}`] : []
  })
  return [
    ...outside,
    ...changed
      .filter((name) => isProtected(root, `${root}/${name}`))
      .map((name) => `${name} is not what it was`),
  ]
}

/** What a command that nobody was asked about may not have done by the rules. */
export function trespasses(
  { root, home }: Lane,
  { confined, rules }: Setting,
  { commands, files }: Decided['survey'],
  { deeds }: Traced,
): string[] {
  const names = new Set(commands.map(({ fields }) => basename(fields[0]?.text ?? '')))
  const isAnything = commands.some(({ text }) => text === UNKNOWN) || names.has('.') || names.has('source')
  const isAnyFile = files.some(({ field }) => isUnknown(field))
  const place = { root, home, confined, rules }
  return deeds.flatMap((deed) => {
    if (isAnything || deed.by.slice(0, -1).some(runsAnything)) return []
    if (deed.kind !== 'execute' && isAnyFile) return []
    const why = deed.kind === 'execute' ? whyNotExecuted(deed, names, rules) : whyNotTouched(deed, place)
    return why === undefined ? [] : [`${why}: ${deed.line}`]
  })
}

/** Which file it is only the run shows; a rule that denies some file makes the whole line ask. */
function isUnknown({ text, found }: Field): boolean {
  return found === undefined ? text.includes(UNKNOWN) : found.some(({ field }) => isUnknown(field))
}

interface Place {
  readonly root: string
  readonly home: string
  readonly confined: boolean
  readonly rules: readonly Rule[]
}

/** Programs that others start for themselves. */
const HELPERS: Readonly<Record<string, readonly string[]>> = {
  tar: ['sh', 'gzip', 'bzip2', 'xz', 'zstd'],
  git: ['git', 'git-remote-http', 'git-upload-pack', 'sh'],
  gunzip: ['gzip', 'sh'],
}

function whyNotExecuted(
  { argv, by, what }: Deed,
  names: ReadonlySet<string>,
  rules: readonly Rule[],
): string | undefined {
  if (by.length === 0) return undefined // the shell of the command itself
  const name = nameOf(argv)
  const starters = by.map(nameOf)
  const isHelper = starters.some(
    (starter) => HELPERS[starter]?.includes(name) || HELPERS[starter]?.includes(basename(what)),
  )
  if (isHelper) return undefined
  if (!names.has(name) && !names.has(basename(what)))
    return `it started ${name}, which the rules have not seen`
  const text = [name, ...argv.slice(1)].join(' ')
  const last = rules.findLast(({ tool, pattern }) => tool === 'bash' && matchPattern(pattern, text, 'text'))
  return last && last.action !== 'allow' ? `it started ${text}, which a rule does not allow` : undefined
}

/** Interpreters, builds and scripts: rules decide whether they start, not what they do. */
function runsAnything(argv: readonly string[]): boolean {
  const name = nameOf(argv).replace(/[\d.]+$/, '')
  if (/^(bash|sh|dash)$/.test(name)) return !argv.slice(1).some((word) => /^-\w*c$/.test(word))
  return (
    /^(python|perl|node|make)$/.test(name) ||
    (argv[0] ?? '').includes('/src/') ||
    (argv[0] ?? '').startsWith('src/') ||
    (argv[0] ?? '').startsWith('./src/')
  )
}

function whyNotTouched({ kind, what, by }: Deed, { root, home, confined, rules }: Place): string | undefined {
  if (kind === 'connect' || !what.startsWith('/')) return undefined // a pipe is no file
  const access = kind === 'read' ? 'read' : 'write'
  const program = nameOf(by[0] ?? [])
  if (!isWithin(root, what)) {
    if (confined) return undefined // all of that is the cell's
    const isOutside = isWithin(home, what) || (isWithin('/tmp', what) && !isWithin(dirname(home), what))
    const isTemporary =
      /^\/tmp\/sh-thd[.-]/.test(what) || /^(sort|script|csplit|tac|shred|bash)$/.test(program)
    return isOutside && !isTemporary ? `it ${access} ${what}, which is outside` : undefined
  }
  const relative = what.slice(root.length + 1)
  const guard = guardOf(relative)
  const isGit = by.some((argv) => nameOf(argv) === 'git')
  if (isGit && access === 'read') return undefined // it looks what has changed
  if (guard === 'secret') return `it ${access} ${relative}, which is a secret`
  if (access === 'write' && guard !== null && !(guard === 'git' && isGit))
    return `it changed ${relative}, which is guarded`
  const tools = access === 'read' ? ['read', 'files'] : ['write', 'edit', 'files']
  const last = (tool: string) =>
    rules.findLast((rule) => rule.tool === tool && matchPattern(rule.pattern, relative, 'path'))
  const found = tools.map(last).find((rule) => rule !== undefined && rule.action !== 'allow')
  return found ? `it ${access} ${relative}, which a rule does not allow` : undefined
}

const PROTECTED =
  /^(\.git\/(config|config\.worktree|hooks|modules|commondir)|\.offshoot|\.vscode|offshoot\.jsonc)(\/|$)/

function isProtected(root: string, path: string): boolean {
  return path.startsWith(`${root}/`) && PROTECTED.test(path.slice(root.length + 1))
}

function isLocal(address: string): boolean {
  return /^(127\.|::1$|0\.0\.0\.0$|@?")/.test(address)
}

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`)
}
