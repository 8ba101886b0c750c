import { sortArguments } from './arguments.ts'
import type { Field } from './field.ts'
import { isStatic } from './field.ts'
import type { Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'

const SED = {
  flags: 'nErsuz',
  longs: 'quiet silent regexp-extended separate unbuffered null-data debug posix sandbox help version',
  values: 'e l expression line-length',
  sends: 'f file',
}

/** A sed script can write files (`w`, `s///w`) and run programs (`e`, `s///e`). */
export function readSed({ args }: Invocation): Reading {
  const found = sortArguments(args, SED)
  const given = found.options
    .filter(({ name }) => name === '-e' || name === '--expression')
    .map(({ value }) => value)
  const edits = found.unknown.some((name) => /^-i$|^--i/.test(name))
  const scripts = given.length > 0 ? given : found.operands.slice(0, 1)
  return merge(
    optionCautions('sed', found.unknown),
    loaded(found.reads, 'sed'),
    ...scripts.map((script) => (script === null ? reading({}) : readSedScript(script))),
    uses(edits ? 'write' : 'read', given.length > 0 ? found.operands : found.operands.slice(1)),
  )
}

/** A script in a file may read and write any other file. */
function loaded(files: readonly Field[], program: string): Reading {
  if (files.length === 0) return reading({})
  return merge(uses('read', files), unknownInner(`runs a script that ${program} reads from a file`))
}

/** Longer text is not searched: it may do anything. */
const MAX_SCRIPT = 8192

function readSedScript(script: Field): Reading {
  if (!isStatic(script) && !script.glob) return caution('passes sed a script that is unknown in advance')
  if (script.text.length <= MAX_SCRIPT && isPlainSed(script.text)) return reading({})
  return merge(
    caution('passes sed a script that may write files or run commands'),
    unknownInner('passes sed a script that may write files or run commands'),
  )
}

/** Only addresses, `s` and `y` with harmless flags, and one-letter commands count as harmless. */
function isPlainSed(text: string): boolean {
  let at = 0
  while (at < text.length) {
    const next = sedCommandEnd(text, at)
    if (next === null) return false
    at = next
  }
  return true
}

function sedCommandEnd(text: string, start: number): number | null {
  let at = skipSpace(text, start)
  if (at >= text.length) return at
  const address = sedAddresses(text, at)
  if (address === null) return null
  at = skipSpace(text, address)
  while (text.charAt(at) === '!' || text.charAt(at) === ' ') at += 1
  const name = text.charAt(at)
  if (name === '{' || name === '}') return at + 1
  if (name === 's' || name === 'y') return sedSubstitution(text, at)
  if ('pdDgGhHnNPxzl=qQ'.includes(name) && name !== '') return sedEnd(text, at + 1)
  if (name === 'b' || name === 't' || name === 'T' || name === ':') return lineEnd(text, at)
  return 'aic'.includes(name) && name !== '' ? sedTextEnd(text, at + 1) : null
}

/** Text continues after a backslash at the end of a line; implementations of sed differ on two backslashes. */
function sedTextEnd(text: string, from: number): number | null {
  for (let at = text.indexOf('\n', from); at !== -1; at = text.indexOf('\n', at + 1)) {
    const isContinued = at > from && text[at - 1] === '\\'
    if (!isContinued) return at + 1
    if (at - 1 > from && text[at - 2] === '\\') return null
  }
  return text.length
}

function sedSubstitution(text: string, at: number): number | null {
  const delimiter = text.charAt(at + 1)
  if (delimiter === '' || delimiter === '\n' || delimiter === '\\') return null
  const middle = delimited(text, at + 2, delimiter, text.charAt(at) === 's')
  const end = middle === null ? null : delimited(text, middle, delimiter, false)
  if (end === null) return null
  let flags = end
  while (/[gpiImM0-9]/.test(text.charAt(flags))) flags += 1
  return sedEnd(text, flags)
}

/**
 * Index after the delimiter. A backslash escapes the next character; in a pattern, so does a bracket. Not every sed
 * implements the latter, so it counts only if no letter of the script could write or run without it.
 */
function delimited(text: string, from: number, delimiter: string, pattern: boolean): number | null {
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '\\') at += 1
    else if (char === delimiter) return at + 1
    else if (char === '\n') return null
    else if (char === '[' && pattern) {
      const end = bracketEnd(text, at)
      if (!text.slice(at, end).includes(delimiter)) continue
      if (/[weWrR]/.test(text)) return null
      at = end - 1
    }
  }
  return null
}

function bracketEnd(text: string, at: number): number {
  const content = at + (text.charAt(at + 1) === '^' ? 2 : 1)
  const close = text.indexOf(']', content + 1)
  return close === -1 ? text.length : close + 1
}

function sedAddresses(text: string, start: number): number | null {
  let at = start
  for (let count = 0; count < 2; count += 1) {
    const end = sedAddress(text, at)
    if (end === null) return null
    at = skipSpace(text, end)
    if (text.charAt(at) !== ',') return at
    at = skipSpace(text, at + 1)
  }
  return at
}

function sedAddress(text: string, at: number): number | null {
  const number = /^([0-9]+([~][0-9]+)?|[+~][0-9]+|\$)/.exec(text.slice(at, at + 40))
  if (number !== null) return at + number[0].length
  if (text.charAt(at) !== '/') return at
  const end = delimited(text, at + 1, '/', true)
  return end === null ? null : end + (/[IM]/.test(text.charAt(end)) ? 1 : 0)
}

function sedEnd(text: string, from: number): number | null {
  let at = from
  while (text.charAt(at) === ' ' || text.charAt(at) === '\t') at += 1
  const char = text.charAt(at)
  if (char === '' || char === '}') return at
  return char === ';' || char === '\n' ? at + 1 : null
}

function lineEnd(text: string, from: number): number {
  const end = text.slice(from).search(/[;\n]/)
  return end === -1 ? text.length : from + end + 1
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (/[\s;]/.test(text.charAt(at)) && at < text.length) at += 1
  return at
}

const AWK = {
  flags: 'bcCghNnOPrStVsk',
  longs: 'posix traditional re-interval sandbox version help csv characters-as-bytes',
  values: 'F v field-separator assign',
  sends: 'f i E l file include exec load',
}

/** awk runs programs through `system` and pipes, and writes with `>`. A script that contains one of them may do so. */
export function readAwk({ args }: Invocation): Reading {
  const found = sortArguments(args, { ...AWK, ordered: true })
  const [script, ...files] = found.operands
  const risky = script !== undefined && (!isStatic(script) || isRiskyAwk(script.text))
  const assignments = files.filter((file) => /^[A-Za-z_]\w*=/.test(file.text))
  return merge(
    optionCautions('awk', found.unknown),
    loaded(found.reads, 'awk'),
    risky ? caution('passes awk a program that may write files or run commands') : reading({}),
    risky ? unknownInner('passes awk a program that may write files or run commands') : reading({}),
    uses(
      'read',
      files.filter((file) => !assignments.includes(file)),
    ),
  )
}

const AWK_NAMES = /\b(system|getline|close|fflush|ENVIRON|PROCINFO|ARGV|ARGC|ARGIND|SYMTAB|FUNCTAB)\b|@/

/** `>` as a comparison appears in the pattern or in brackets, never after `print`. */
function isRiskyAwk(program: string): boolean {
  if (program.length > MAX_SCRIPT) return true
  const text = program.replaceAll(/"(\\.|[^"\\\n])*"/g, '""')
  if (AWK_NAMES.test(program) || /\|&|(^|[^|])\|([^|]|$)/.test(text) || hidesAwk(program)) return true
  return text
    .split(/[;}\n]/)
    .some((part) => part.slice(Math.max(0, part.indexOf('print'))).includes('>') && part.includes('print'))
}

/** A quote or separator in a possible regular expression can move the ends of strings and statements. */
function hidesAwk(program: string): boolean {
  const literals = program.matchAll(/"(?:\\.|[^"\\\n])*"|\/((?:\\.|[^/\\\n])*)\//g)
  return [...literals].some(([, regex = '']) => {
    const open = regex.replaceAll(/\[\^?\]?[^\]]*\]/g, '')
    return regex.includes('"') || open.includes('[') || (program.includes('>') && /[;}]/.test(regex))
  })
}
