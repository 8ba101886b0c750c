import { sortArguments } from './arguments.ts'
import type { Field } from './field.ts'
import { isStatic, restOf, staticField, unknownField } from './field.ts'
import type { Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, uses } from './reading.ts'
import { HERE, walkUses } from './directory-walks.ts'
import { replacePlace } from './read-wrapper.ts'

const FD = {
  flags: 'HIusiglapL01hVFq',
  longs: `hidden no-ignore unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path list-details
    follow full-path print0 no-ignore-vcs one-file-system prune quiet show-errors help version no-follow no-hidden
    strip-cwd-prefix relative-path`,
  values: `d t e E S c j max-depth min-depth exact-depth type extension exclude size color threads max-results
    changed-within changed-before owner format and max-one-result path-separator`,
  reads: 'C search-path base-directory',
}

const EXEC = /^(-[a-zA-Z0-9]*?)([xX])(.*)$|^--exec(?:-batch)?(?:=(.*))?$/s

/** fd finds files by name, and runs the command after `-x` or `-X` on them. */
export function readFd({ program, args }: Invocation): Reading {
  const { own, commands, elsewhere } = split(args)
  const found = sortArguments(own, FD)
  const [, ...roots] = found.operands
  const below = roots.length === 0 ? [HERE] : roots
  const hidden = found.options.some(({ name }) => /^(-H|-u|--hidden|--unrestricted)$/.test(name))
  const files = walkUses('read', below, { names: null, hidden, links: false, look: true })
  const fed: Field = { ...unknownField, from: 'files', found: files }
  return merge(
    optionCautions(program, found.unknown),
    elsewhere && commands.length > 0 ? caution('runs a command in each directory') : reading({}),
    uses('read', [...roots, ...found.reads]),
    reading({ inner: commands.map((words) => ({ type: 'command', fields: placed(words, fed) })) }),
  )
}

/** Splits fd's own words from each command, which ends at `;`. */
function split(args: readonly Field[]) {
  const own: Field[] = []
  const commands: (readonly Field[])[] = []
  for (let at = 0; at < args.length; at += 1) {
    const field = args[at]
    if (field === undefined) break
    const match = isStatic(field) && !takesValue(args[at - 1]) ? EXEC.exec(field.text) : null
    if (match === null) {
      own.push(field)
      continue
    }
    const [, before = '-', , attached, given] = match
    if (before.length > 1) own.push(staticField(before))
    const first = attached || given
    const end = args.findIndex(({ text }, index) => index > at && text === ';')
    const rest = args.slice(at + 1, end === -1 ? args.length : end)
    const start = first ? [restOf(field, field.text.slice(0, field.text.length - first.length))] : []
    commands.push([...start, ...rest])
    at = end === -1 ? args.length : end
  }
  return { own, commands, elsewhere: own.some(({ text }) => /^(-C|--base-d)/.test(text)) }
}

/** `-e x` selects files that end in `.x`. */
function takesValue(before: Field | undefined): boolean {
  return before !== undefined && /^-[a-zA-Z]*[dteEScj]$/.test(before.text)
}

const PLACES = ['{}', '{/}', '{//}', '{.}', '{/.}']

function placed(words: readonly Field[], fed: Field): readonly Field[] {
  const has = words.some(({ text }) => PLACES.some((place) => text.includes(place)))
  if (!has) return [...words, fed]
  return words.map((word) => PLACES.reduce((field, place) => replacePlace(field, place, fed), word))
}
