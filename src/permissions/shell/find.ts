import type { Field } from './field.ts'
import { isStatic, unknownField } from './field.ts'
import type { Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'
import { replacePlace } from './wrapped.ts'

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

/** `find` has a language of its own instead of options: tests, and actions that run, remove and write. */
export function readFind({ args }: Invocation): Reading {
  const start = args.findIndex((field) => /^[-(!,]/.test(field.text) && !/^-([HLP]|O\d|D)$/.test(field.text))
  const roots = (start === -1 ? args : args.slice(0, start)).filter((field) => !field.text.startsWith('-'))
  const found = [uses('read', roots)]
  let at = start === -1 ? args.length : start
  while (at < args.length) {
    const [one, next] = readPrimary(args, at)
    found.push(one)
    at = next
  }
  return merge(...found)
}

function readPrimary(args: readonly Field[], at: number): readonly [Reading, number] {
  const field = args[at]
  const name = field?.text ?? ''
  if (field === undefined || !isStatic(field))
    return [unknownInner('gives find a word that is not known'), at + 1]
  if (NO_VALUE.has(name)) return [reading({}), at + 1]
  if (ONE_VALUE.has(name) || /^-newer[aBcm]t$/.test(name)) return [reading({}), at + 2]
  if (FILE_VALUE.test(name)) return [uses('read', args.slice(at + 1, at + 2)), at + 2]
  if (/^-(exec|execdir|ok|okdir)$/.test(name)) return readExec(args, at)
  if (name === '-delete') return [caution('deletes what it finds', name), at + 1]
  if (/^-f(print0?|ls|printf)$/.test(name)) {
    return [merge(caution('writes a file', name), uses('write', args.slice(at + 1, at + 2))), at + 2]
  }
  return [optionCautions('find', [name]), at + 1]
}

const FOUND: Field = { ...unknownField, from: 'files' }

function readExec(args: readonly Field[], at: number): readonly [Reading, number] {
  const length = args.slice(at + 1).findIndex((field, offset) => ends(field, args[at + offset]))
  const end = length === -1 ? args.length : at + 1 + length
  const fields = args.slice(at + 1, end).map((field) => replacePlace(field, '{}', FOUND))
  if (fields.length === 0) return [unknownInner('runs a command that is not known'), end + 1]
  return [reading({ inner: [{ type: 'command', fields }] }), end + 1]
}

function ends(field: Field, before: Field | undefined): boolean {
  return field.text === ';' || (field.text === '+' && before?.text === '{}')
}
