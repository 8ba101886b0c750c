import type { Arguments } from './arguments.ts'
import { sortArguments } from './arguments.ts'
import { readAssigned } from './assigned-values.ts'
import type { Field } from './field.ts'
import { isStatic, joinText, joinUncertain, staticField, unknownField } from './field.ts'
import type { Inner, Invocation, Reading, Stdin } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'
import type { Wrapper } from './wrapper-table.ts'

/**
 * A program that runs the rest of its words. If unknown options hide where the command starts, every word may be its
 * start.
 */
export function readWrapper(command: Invocation, wrapper: Wrapper): Reading {
  const found = sortArguments(command.args, { ...wrapper, ordered: true })
  const rest = found.operands.slice(wrapper.skip ?? 0)
  const assigned = wrapper.assigns === true ? leadingAssignments(rest) : []
  const inner = rest.slice(assigned.length)
  const shell = /^(-c|--command)$/.test(inner[0]?.text ?? '') ? inner[1] : undefined
  const hidden = found.unknown.length > 0 || found.doubtful
  const via = wrapper.caution === undefined ? viaOf(command, found, found.operands.length - inner.length) : []
  return merge(
    optionCautions(command.program, found.unknown),
    wrapper.caution === undefined ? reading({}) : caution(wrapper.caution),
    hidden ? unknownInner(`runs a command hidden by unknown options of ${command.program}`) : reading({}),
    splitString(command, found.unknown),
    ...assigned.map(assignmentCaution),
    uses('read', [...found.reads, ...placesOf(wrapper, found)]),
    reading({
      inner: looksUp(command.program, found.options)
        ? []
        : payload(inner, shell, wrapper.text === true, via).map((one) => inDirectory(one, wrapper, found)),
      aliases: hidden || wrapper.any === true ? suffixes(command.args) : [],
      plain: plainSpelling(command, found),
    }),
  )
}

/** The directories that options name; for a wrapper with unlisted options, any option may name one. */
function placesOf({ any, directory = '' }: Wrapper, { options }: Arguments): readonly Field[] {
  const names = directory.split(' ')
  return options.flatMap(({ name, value }) => {
    if (value === null) return []
    return names.includes(name) || (any === true && isStatic(value)) ? [value] : []
  })
}

function inDirectory(inner: Inner, { directory = '' }: Wrapper, { options }: Arguments): Inner {
  const names = directory.split(' ')
  const value = options.findLast(({ name }) => names.includes(name))?.value
  return value && inner.type !== 'unknown' ? { ...inner, directory: value } : inner
}

/** The command without wrapper options that do not affect what runs: rules may omit them. */
function plainSpelling({ program, args }: Invocation, found: Arguments): readonly (readonly Field[])[] {
  const isPlain = found.unknown.length === 0 && !found.doubtful && found.operands.length < args.length
  return isPlain ? [[staticField(program), ...found.operands]] : []
}

/** The wrapper's own words, as written and without its options. */
function viaOf({ program, args }: Invocation, found: Arguments, end = 0): readonly (readonly Field[])[] {
  if (found.unknown.length > 0 || found.doubtful) return []
  const name = staticField(program)
  const words = args.slice(0, args.length - found.operands.length + end)
  return [
    [name, ...words],
    [name, ...found.operands.slice(0, end)],
  ]
}

/** `flock FILE -c TEXT` passes the text to a shell. */
function payload(
  fields: readonly Field[],
  given: Field | undefined,
  whole: boolean,
  via: readonly (readonly Field[])[],
): readonly Inner[] {
  const joined = { ...staticField(joinText(fields)), uncertain: joinUncertain(fields) }
  const text = whole && fields.length > 0 ? joined : given
  if (text === undefined) return fields.length === 0 ? [] : [{ type: 'command', fields, via }]
  return isStatic(text)
    ? [{ type: 'script', text: text.text }]
    : [{ type: 'unknown', reason: 'passes a shell text that is unknown in advance' }]
}

/** `command -v NAME` only prints where NAME is. */
function looksUp(program: string, options: readonly { readonly name: string }[]): boolean {
  return program === 'command' && options.some(({ name }) => name === '-v' || name === '-V')
}

function leadingAssignments(fields: readonly Field[]): readonly Field[] {
  const end = fields.findIndex((field) => !/^[^=]+=/.test(field.text))
  return end === -1 ? fields : fields.slice(0, end)
}

function assignmentCaution(field: Field): Reading {
  const equals = field.text.indexOf('=')
  const name = field.text.slice(0, equals)
  const value = isStatic(field) ? field.text.slice(equals + 1) : null
  return readAssigned(name, value)
}

/** `env -S 'FOO=1 cmd arg'` takes a whole command line as one word. */
function splitString(command: Invocation, unknown: readonly string[]): Reading {
  if (command.program !== 'env' || !unknown.some((name) => /^-S|^--sp?/.test(name))) return reading({})
  const at = command.args.findIndex((field) => /^-[a-zA-Z0]*S|^--sp?l?i?t?/.test(field.text))
  const attached = command.args[at]?.text.replace(/^-[a-zA-Z0]*S|^--s[a-z-]*=?/, '') ?? ''
  const rest = command.args.slice(attached === '' ? at + 2 : at + 1)
  const text = attached === '' ? (command.args[at + 1]?.text ?? '') : attached
  const words = text.split(/\s+/).filter((word) => word !== '')
  const fields = [...words.map((word) => staticField(word)), ...rest]
  const inner = fields.slice(leadingAssignments(fields).length)
  return reading({
    inner: [
      { type: 'command', fields: inner },
      { type: 'script', text },
    ],
  })
}

const MAX_SUFFIXES = 32

export function suffixes(fields: readonly Field[]): readonly (readonly Field[])[] {
  return fields
    .slice(0, MAX_SUFFIXES)
    .map((_, at) => fields.slice(at))
    .filter(([first]) => first !== undefined && !first.text.startsWith('-'))
}

const XARGS = {
  flags: '0rtpxo',
  longs: 'null no-run-if-empty verbose exit show-limits open-tty help version eof max-lines replace',
  optional: 'e i l',
  values: 'd E I L n P s delimiter max-args max-procs max-chars process-slot-var',
  reads: 'a arg-file',
  ordered: true,
}

export function readXargs(command: Invocation): Reading {
  const found = sortArguments(command.args, XARGS)
  const has = (names: string) => found.options.find(({ name }) => names.split(' ').includes(name))
  const replace = has('-I -i --replace')
  const place = replace === undefined ? undefined : (replace.value?.text ?? '{}')
  const fed = fedWords(
    command.stdin,
    has('-a --arg-file') !== undefined,
    has('-d --delimiter -0 --null') === undefined,
  )
  const lists = place === undefined ? [fed] : fed.map((field) => [field])
  // without any words it still runs the command once: `grep -r` then searches everything
  if (place === undefined && !fed.every(isStatic) && !has('-r --no-run-if-empty')) lists.push([])
  const inner = (lists.length === 0 ? [[]] : lists).map((words): Inner => {
    const placed = found.operands.map((field) => replacePlace(field, place, words[0] ?? unknownField))
    return {
      type: 'command',
      fields: place === undefined ? [...placed, ...words] : placed,
      via: viaOf(command, found),
      given: found.operands,
    }
  })
  return merge(
    optionCautions('xargs', found.unknown),
    uses('read', found.reads),
    reading({
      inner: found.operands.length === 0 ? [] : inner,
      aliases: suffixes(found.operands),
      plain: plainSpelling(command, found),
    }),
    found.unknown.length > 0 ? unknownInner('runs a command hidden by unknown xargs options') : reading({}),
  )
}

const MAX_FED = 8

/** The words that xargs adds: none if its input is empty. */
function fedWords(stdin: Stdin, fromFile: boolean, splits: boolean): readonly Field[] {
  if (fromFile) return [unknownField]
  switch (stdin.type) {
    case 'none':
      return []
    case 'files':
      return [{ ...unknownField, from: 'files', found: stdin.found }]
    case 'text': {
      const words = stdin.text.split(/\s+/).filter((word) => word !== '')
      const plain = splits && words.length <= MAX_FED && !/['"\\]/.test(stdin.text)
      return plain ? words.map((word) => staticField(word)) : [unknownField]
    }
    default:
      return [unknownField]
  }
}

/** A word with a placeholder for unknown text: `{}` of `xargs -I{}` and of `find -exec`. */
export function replacePlace(field: Field, place: string | undefined, fed: Field): Field {
  if (place === undefined || place === '' || !field.text.includes(place)) return field
  const text = field.text.replaceAll(place, fed.text)
  return {
    ...field,
    text,
    uncertain: text,
    ...(fed.from === undefined ? {} : { from: fed.from }),
    ...(fed.found ? { found: fed.found } : {}),
  }
}
