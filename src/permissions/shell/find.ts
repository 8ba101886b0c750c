import type { Field, FileUse } from './field.ts'
import { isStatic, unknownField } from './field.ts'
import type { Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'
import { HERE, walkUses } from './directory-walks.ts'
import { replacePlace } from './read-wrapper.ts'

const NO_VALUE = new Set(
  `-a -and -o -or -not -true -false -print -print0 -prune -quit -ls -depth -d -follow -daystart -empty -executable
  -readable -writable -nouser -nogroup -mount -xdev -noleaf -ignore_readdir_race -noignore_readdir_race -nowarn -warn
  -help -version ( ) ! ,`.split(/\s+/),
)

const ONE_VALUE = new Set(
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size
  -mtime -atime -ctime -mmin -amin -cmin -used -perm -user -group -uid -gid -links -inum -lname -ilname -fstype -printf
  -context`.split(/\s+/),
)

const FILE_VALUE = /^-(newer|anewer|cnewer|newer[aBcm][aBcm]|samefile)$/

/** `find` has an expression language instead of options: tests, and actions that run, remove and write. */
export function readFind({ args }: Invocation): Reading {
  const start = expressionStart(args)
  const roots = rootsOf(args.slice(0, start))
  const found = [uses('read', roots)]
  let at = start
  while (at < args.length) {
    const [one, next] = readPrimary(args, at)
    found.push(one)
    at = next
  }
  return merge(...found)
}

function expressionStart(args: readonly Field[]): number {
  const start = args.findIndex((field) => /^[-(!,]/.test(field.text) && !/^-([HLP]|O\d|D)$/.test(field.text))
  return start === -1 ? args.length : start
}

function rootsOf(args: readonly Field[]): readonly Field[] {
  const roots = args.filter((field) => !field.text.startsWith('-'))
  return roots.length === 0 ? [HERE] : roots
}

/** The files that `find` selects before one of its words, narrowed by the tests before it. */
export function foundByFind(args: readonly Field[], before = args.length): readonly FileUse[] {
  const start = expressionStart(args)
  const tests = args.slice(start, before).map(({ text }) => text)
  const action = tests.findIndex((text) => ACTION.test(text))
  const names = namesOf(action === -1 ? tests : tests.slice(0, action))
  const links = args.some(({ text }) => /^-(L|H|follow)$/.test(text))
  return walkUses('read', rootsOf(args.slice(0, start)), { names, hidden: true, links, look: true })
}

const ACTION = /^-(exec|execdir|ok|okdir|delete|print0?|printf|fprint0?|fprintf|ls|fls)$/

/** The names in every branch of an expression; null if a branch has none or negates a group. */
function namesOf(tests: readonly string[]): readonly string[] | null {
  const branches: string[][] = [[]]
  for (const [at, text] of tests.entries()) {
    const denied = /^(!|-not)$/.test(tests[at - 1] ?? '')
    if (/^-(o|or)$|^,$/.test(text)) branches.push([])
    else if (denied && text === '(') return null
    else if (text === '-name' && !denied) branches.at(-1)?.push(tests[at + 1] ?? '*')
  }
  return branches.every((names) => names.length > 0) ? branches.flatMap((names) => names.slice(0, 1)) : null
}

function readPrimary(args: readonly Field[], at: number): readonly [Reading, number] {
  const field = args[at]
  const name = field?.text ?? ''
  if (field === undefined || !isStatic(field))
    return [unknownInner('passes find an argument that is unknown in advance'), at + 1]
  if (NO_VALUE.has(name)) return [reading({}), at + 1]
  if (ONE_VALUE.has(name) || /^-newer[aBcm]t$/.test(name)) return [reading({}), at + 2]
  if (FILE_VALUE.test(name)) return [uses('read', args.slice(at + 1, at + 2)), at + 2]
  if (/^-(exec|execdir|ok|okdir)$/.test(name)) return readExec(args, at)
  if (name === '-delete') {
    const removed = foundByFind(args, at).map((use) => removal(use))
    return [merge(caution('deletes what it finds', name), reading({ files: removed })), at + 1]
  }
  if (/^-f(print0?|ls|printf)$/.test(name)) {
    return [merge(caution('writes a file', name), uses('write', args.slice(at + 1, at + 2))), at + 2]
  }
  return [optionCautions('find', [name]), at + 1]
}

/** Whole trees have a guard of their own. */
function removal(use: FileUse): FileUse {
  return {
    ...use,
    access: 'remove',
    ...(use.walk ? { walk: { ...use.walk, look: use.walk.names !== null } } : {}),
  }
}

/** The word that represents files found by a program. */
function foundField(found: readonly FileUse[]): Field {
  return { ...unknownField, from: 'files', found }
}

function readExec(args: readonly Field[], at: number): readonly [Reading, number] {
  const length = args.slice(at + 1).findIndex((field, offset) => ends(field, args[at + offset]))
  const end = length === -1 ? args.length : at + 1 + length
  const fed = foundField(foundByFind(args, at))
  const fields = args.slice(at + 1, end).map((field) => replacePlace(field, '{}', fed))
  if (fields.length === 0) return [unknownInner('runs an unknown command'), end + 1]
  const below = args[at]?.text.endsWith('dir') === true ? inEachDirectory(args, at, fields) : []
  return [reading({ inner: [{ type: 'command', fields }], files: below }), end + 1]
}

/** `-execdir` runs in the directory of each file, so a name there may be a file in any directory below. */
function inEachDirectory(args: readonly Field[], at: number, fields: readonly Field[]): readonly FileUse[] {
  const names = fields.slice(1).filter((field) => isStatic(field) && !field.text.startsWith('-'))
  return foundByFind(args, at).flatMap((use) =>
    names.map(({ text }): FileUse => {
      const name = text.slice(text.lastIndexOf('/') + 1)
      return {
        access: 'read',
        field: use.field,
        walk: { names: [name], hidden: true, links: false, look: true },
      }
    }),
  )
}

function ends(field: Field, before: Field | undefined): boolean {
  return field.text === ';' || (field.text === '+' && before?.text === '{}')
}
