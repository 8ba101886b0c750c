import type { DoubleQuotedChild, ParameterExpansionPart, ParsedScript, Word, WordPart } from 'unbash'
import { UNKNOWN } from '../match-pattern.ts'
import type { Field } from './field.ts'
import { joinText, staticField, unknownField } from './field.ts'

/** What is known about the shell variables at a word. */
export interface Variables {
  /** Every value that the variable may have, each a list of words; null: unknown. */
  values(name: string): readonly (readonly Field[])[] | null
  /** The words that a substitution expands to; null: unknown. */
  output?(script: ParsedScript | undefined): Field | null
}

/** A word with more alternatives counts as unknown. */
const MAX_ALTERNATIVES = 8

/**
 * Expands one word of the source, once for each possible value of its variables. Text from outside the command line
 * (output of commands, the environment) is UNKNOWN.
 */
export function expandWord(word: Word, variables: Variables): readonly (readonly Field[])[] {
  if (word.parts === undefined) return [[{ ...staticField(word.value), tilde: word.text.startsWith('~') }]]
  const spellings = braceSpellings(word.parts)
  if (spellings === null) return [[unknownField]]
  const tilde = word.text.startsWith('~')
  let alternatives: readonly (readonly Field[])[] = [[]]
  for (const parts of spellings) {
    const fields = expandParts(parts, variables, tilde)
    alternatives = alternatives.flatMap((before) => fields.map((after) => [...before, ...after]))
    if (alternatives.length > MAX_ALTERNATIVES) return [[unknownField]]
  }
  return alternatives
}

/** Maximum number of command lines to expand to. */
const MAX_LINES = 8

/**
 * Combines the alternatives of all words. If that exceeds the limit, words with several alternatives become unknown.
 */
export function combineWords(
  words: readonly (readonly (readonly Field[])[])[],
): readonly (readonly Field[])[] {
  let lines: Field[][] = [[]]
  for (const alternatives of words) {
    const choices = lines.length * alternatives.length > MAX_LINES ? [[unknownField]] : alternatives
    const [only] = choices
    if (choices.length === 1 && only !== undefined) for (const line of lines) line.push(...only)
    else lines = lines.flatMap((line) => choices.map((fields) => [...line, ...fields]))
  }
  return lines.filter((line) => line.length > 0)
}

/** Whether a word contains more than text and quotes. */
export function isComputed(word: Word): boolean {
  return word.parts !== undefined && !word.parts.every(isLiteral)
}

function isLiteral(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return part.parts.every(isLiteral)
  return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted'
}

/** The text of a word if nothing splits it or expands its globs; null: unknown. */
export function knownText(word: Word, variables: Variables): string | null {
  const [fields, more] = expandWord(word, variables)
  if (fields === undefined || more !== undefined) return null
  const text = joinText(fields)
  return text.includes(UNKNOWN) ? null : text
}

/** The words built so far; `open`: the last one may still grow. */
interface Build {
  readonly fields: readonly Field[]
  readonly open: boolean
}

function expandParts(
  parts: readonly Part[],
  variables: Variables,
  tilde: boolean,
): readonly (readonly Field[])[] {
  let builds: readonly Build[] = [{ fields: [], open: false }]
  for (const part of parts) {
    const values = partValues(part, variables)
    builds = builds.flatMap((build) => values.map((value) => append(build, value)))
    if (builds.length > MAX_ALTERNATIVES) return [[unknownField]]
  }
  return builds.map(({ fields }) =>
    fields.map((field, at) => (at === 0 && tilde ? { ...field, tilde } : field)),
  )
}

/** The value of one part: its words join the text before and after it, unless white space separates them. */
interface Value {
  readonly fields: readonly Field[]
  readonly startsNew?: boolean
  readonly endsWord?: boolean
}

function append(build: Build, value: Value): Build {
  const [first, ...rest] = value.fields
  if (first === undefined) return value.startsNew === true ? { ...build, open: false } : build
  const last = build.fields.at(-1)
  const joins = build.open && value.startsNew !== true && last !== undefined
  const head = joins ? [...build.fields.slice(0, -1), concat(last, first)] : [...build.fields, first]
  return { fields: [...head, ...rest], open: value.endsWord !== true }
}

function concat(a: Field, b: Field): Field {
  const from = commonSource(a, b)
  return {
    text: a.text + b.text,
    uncertain: a.uncertain + b.uncertain,
    loose: a.loose || b.loose,
    tilde: a.text === '' ? b.tilde : a.tilde,
    glob: a.glob || b.glob,
    ...(from === undefined ? {} : { from }),
    ...((a.found ?? b.found) ? { found: [...(a.found ?? []), ...(b.found ?? [])] } : {}),
  }
}

/** The common source of both unknown parts; undefined if either may be anything. */
function commonSource(a: Field, b: Field): Field['from'] {
  if (!a.text.includes(UNKNOWN)) return b.from
  return !b.text.includes(UNKNOWN) || a.from === b.from ? a.from : undefined
}

type Part = WordPart | { readonly type: 'Text'; readonly text: string }

function partValues(part: Part, variables: Variables): readonly Value[] {
  switch (part.type) {
    case 'Text':
      return [{ fields: [plainOrGlob(part.text)] }]
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [literal(part.value)]
    case 'Glob':
    case 'ExtendedGlob':
      return [{ fields: [{ ...unknownField, text: part.text, loose: false, glob: true }] }]
    case 'DoubleQuoted':
    case 'LocaleString':
      return quotedValues(part.parts, variables)
    case 'ProcessSubstitution':
      return [{ fields: [{ ...unknownField, loose: false, from: 'process' }] }]
    case 'ArithmeticExpansion':
      return [{ fields: [{ ...unknownField, loose: false, from: 'number' }] }]
    case 'CommandExpansion':
      return [{ fields: [variables.output?.(part.script) ?? unknownField] }]
    case 'BraceExpansion':
      return [{ fields: [unknownField] }]
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return parameterValues(part, variables).flatMap((words) => splitWords(words))
  }
}

function plainOrGlob(text: string): Field {
  return /[*?]/.test(text) ? { ...unknownField, text, loose: false, glob: true } : staticField(text)
}

function literal(text: string): Value {
  return { fields: [staticField(text)] }
}

function quotedValues(parts: readonly DoubleQuotedChild[], variables: Variables): readonly Value[] {
  const [only] = parts
  if (parts.length === 1 && only?.type === 'ParameterExpansion' && only.index?.text === '@') {
    return parameterValues(only, variables).map((fields) => ({ fields }))
  }
  let texts: readonly Field[] = [staticField('')]
  for (const part of parts) {
    const values = quotedPart(part, variables)
    texts = texts.flatMap((before) => values.map((after) => concat(before, after)))
    if (texts.length > MAX_ALTERNATIVES) return [{ fields: [{ ...unknownField, loose: false }] }]
  }
  return texts.map((field) => ({ fields: [field] }))
}

function quotedPart(part: DoubleQuotedChild, variables: Variables): readonly Field[] {
  const quotedUnknown = { ...unknownField, loose: false }
  switch (part.type) {
    case 'Literal':
      return [staticField(part.value)]
    case 'ArithmeticExpansion':
      return [{ ...quotedUnknown, from: 'number' }]
    case 'CommandExpansion': {
      const field = variables.output?.(part.script) ?? null
      return [field === null ? quotedUnknown : { ...field, loose: false }]
    }
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      // "${x[@]}" is several words even in quotes; a loop variable may hold matches of a glob
      return parameterValues(part, variables).map((words) => {
        const [only] = words
        if (only === undefined) return staticField('')
        return words.length === 1 ? { ...only, loose: false, uncertain: only.text } : unknownField
      })
  }
}

type Parameter = Extract<WordPart, { type: 'SimpleExpansion' | 'ParameterExpansion' }>

const NUMBERS = new Set(['$?', '$$', '$#', '$!', '$RANDOM', '$SECONDS', '$LINENO', '$UID', '$EUID', '$PPID'])

/** A variable that the line does not assign may be empty: `to$@uch`. */
const UNSET = [[], [unknownField]]

function parameterValues(part: Parameter, variables: Variables): readonly (readonly Field[])[] {
  if (part.type === 'SimpleExpansion') {
    const values = variables.values(part.text.slice(1))
    if (values === null && NUMBERS.has(part.text))
      return [[{ ...unknownField, loose: false, from: 'number' }]]
    return values ?? UNSET
  }
  if (part.prefix !== undefined) return [[unknownField]]
  const values = indexedValues(part, variables)
  const { operation } = part
  if (operation === undefined) return values
  if (operation.type !== 'Default' || operation.operator.includes('?')) return [[unknownField]]
  const operand = expandWord(operation.operand, variables)
  return operation.operator.includes('+') ? [...operand, []] : [...values, ...operand]
}

function indexedValues(part: ParameterExpansionPart, variables: Variables): readonly (readonly Field[])[] {
  const values = variables.values(part.parameter) ?? UNSET
  const index = part.index?.text
  if (index === '@' || index === '*') return values
  return index === undefined ? values.map((words) => words.slice(0, 1)) : [[unknownField]]
}

/** White space in an unquoted value separates words, and its globs expand. */
function splitWords(words: readonly Field[]): readonly Value[] {
  const fields = words.flatMap(splitField)
  const text = words.map((word) => word.text).join(' ')
  return [{ fields, startsNew: /^\s/.test(text), endsWord: /\s$/.test(text) }]
}

function splitField(field: Field): readonly Field[] {
  return field.text
    .split(/[ \t\n]+/)
    .filter((text) => text !== '')
    .map((text, at) => {
      const glob = field.glob || /[*?[]/.test(text)
      const loose = text.includes(UNKNOWN)
      return { ...field, text, uncertain: glob ? UNKNOWN : text, glob, loose, tilde: field.tilde && at === 0 }
    })
}

const MAX_BRACES = 64

/** Expands the braces of a word (`a{b,c}` is two words); null if the result is unclear. */
function braceSpellings(parts: readonly WordPart[]): readonly (readonly Part[])[] | null {
  let spellings: readonly (readonly Part[])[] = [[]]
  for (const part of parts) {
    const texts = part.type === 'BraceExpansion' ? braceTexts(part.text) : [part]
    if (texts === null) return null
    spellings = spellings.flatMap((before) => texts.map((text) => [...before, text]))
    if (spellings.length > MAX_BRACES) return null
  }
  return spellings
}

function braceTexts(text: string): readonly Part[] | null {
  const inside = text.slice(1, -1)
  if (!/^[\w./,:=@%+*?-]*$/.test(inside) || inside.includes('..') || !inside.includes(',')) return null
  return inside.split(',').map((item) => ({ type: 'Text', text: item }))
}
