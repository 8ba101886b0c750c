import type { Json } from '../../src/core/json.ts'
import type { Random } from '../sim/random.ts'
import { NAMES, NUMBERS, PAIRS, TRAPS } from './traps.ts'

export interface Words {
  readonly corpus: readonly string[]
  readonly dictionary: readonly string[]
}

/** Most inputs stay near a valid one; some are long. */
const MAX_CHARS = 256 * 1024

/** One text of the corpus, changed in a few places. */
export function mutatedText(random: Random, words: Words): string {
  let text = random.pick(words.corpus)
  for (let left = random.between(1, 4); left > 0; left--)
    text = random.pick(TEXT_CHANGES)(text, random, words).slice(0, MAX_CHARS)
  return text
}

type TextChange = (text: string, random: Random, words: Words) => string

const TEXT_CHANGES: readonly TextChange[] = [
  (text, random, { dictionary }) => inserted(text, random, random.pick(dictionary)),
  (text, random, { dictionary }) => replacedWord(text, random, random.pick(dictionary)),
  (text, random) => inserted(text, random, random.pick(TRAPS)),
  (text, random) => replacedWord(text, random, random.pick(NAMES)),
  (text, random) => text.replace(/-?\d+(\.\d+)?/, () => random.pick(NUMBERS)),
  splice,
  flip,
  cutOut,
  (text, random) => text.slice(0, random.between(0, text.length)),
  (text, random) => inserted(text, random, part(text, random).repeat(times(random))),
  nest,
  movedLine,
  (text) => text.replaceAll('\n', '\r\n'),
]

function inserted(text: string, random: Random, what: string): string {
  const at = random.between(0, text.length)
  return text.slice(0, at) + what + text.slice(at)
}

function replacedWord(text: string, random: Random, word: string): string {
  const found = [...text.matchAll(/[\w$.-]+/g)]
  if (found.length === 0) return text + word
  const one = random.pick(found)
  return text.slice(0, one.index) + word + text.slice(one.index + one[0].length)
}

function splice(text: string, random: Random, { corpus }: Words): string {
  const other = random.pick(corpus)
  return text.slice(0, random.between(0, text.length)) + other.slice(random.between(0, other.length))
}

function flip(text: string, random: Random): string {
  if (text === '') return '\u0000'
  const at = random.between(0, text.length - 1)
  const code = text.charCodeAt(at) ^ (1 << random.between(0, random.chance(0.9) ? 6 : 15))
  return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1)
}

function cutOut(text: string, random: Random): string {
  const at = random.between(0, text.length)
  return text.slice(0, at) + text.slice(at + random.between(1, random.chance(0.7) ? 4 : 200))
}

function part(text: string, random: Random): string {
  const at = random.between(0, text.length)
  return text.slice(at, at + random.between(1, 24))
}

/** Seldom many: each costs as much as a hundred others. */
function times(random: Random): number {
  return random.chance(0.98) ? random.between(1, 12) : random.between(200, 6_000)
}

function nest(text: string, random: Random): string {
  const [open, close] = random.pick(PAIRS)
  const depth = random.chance(0.9) ? random.between(1, 6) : random.between(30, 3_000)
  const at = random.between(0, text.length)
  const end = random.between(at, text.length)
  return `${text.slice(0, at)}${open.repeat(depth)}${text.slice(at, end)}${close.repeat(depth)}${text.slice(end)}`
}

function movedLine(text: string, random: Random): string {
  const lines = text.split('\n')
  const [line = ''] = lines.splice(random.between(0, lines.length - 1), 1)
  lines.splice(random.between(0, lines.length), random.chance(0.5) ? 0 : 1, line)
  return lines.join('\n')
}

/** A value of JSON, changed in a few places: fields renamed, dropped, doubled, and values of another type. */
export function mutatedJson(random: Random, value: Json, dictionary: readonly string[]): Json {
  let changed = value
  for (let left = random.between(1, 3); left > 0; left--) changed = changeOne(random, changed, dictionary)
  return changed
}

function changeOne(random: Random, value: Json, dictionary: readonly string[]): Json {
  const goOn = random.chance(0.75)
  if (Array.isArray(value) && value.length > 0 && goOn) {
    const at = random.between(0, value.length - 1)
    return value.map((each, i) => (i === at ? changeOne(random, each, dictionary) : each))
  }
  if (!isFields(value) || !goOn) return strange(random, value, dictionary)
  const entries = Object.entries(value)
  if (entries.length === 0 || random.chance(0.2))
    return fieldsOf([...entries, [nameOf(random, dictionary), strange(random, null, dictionary)]])
  const at = random.between(0, entries.length - 1)
  const [name, inner] = entries[at]!
  const other: [string, Json][] = random.chance(0.25)
    ? random.chance(0.3)
      ? []
      : [[nearName(random, name), inner]]
    : [[name, changeOne(random, inner, dictionary)]]
  return fieldsOf(entries.toSpliced(at, 1, ...other))
}

/** Own fields, whatever their names are. */
function fieldsOf(entries: readonly (readonly [string, Json])[]): Json {
  return Object.fromEntries(entries)
}

function isFields(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nameOf(random: Random, dictionary: readonly string[]): string {
  return random.pick(random.chance(0.5) ? NAMES : dictionary)
}

/** A slip of the pen. */
export function nearName(random: Random, name: string): string {
  const at = random.between(0, Math.max(0, name.length - 1))
  return random.pick([
    name.slice(0, at) + name.slice(at + 1),
    name.slice(0, at) + name.slice(at, at + 1) + name.slice(at),
    name.slice(0, at) + name.slice(at + 1, at + 2) + name.slice(at, at + 1) + name.slice(at + 2),
    name.endsWith('s') ? name.slice(0, -1) : `${name}s`,
    name.toUpperCase(),
    name.toLowerCase(),
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  ])
}

function strange(random: Random, value: Json, dictionary: readonly string[]): Json {
  const makes: readonly (() => Json)[] = [
    () => random.pick(TRAPS),
    () => random.pick(dictionary),
    () => numberOf(random),
    () => random.pick([null, true, false, '', 0, -1, 1.5, [], {}]),
    () => [value, value],
    () => ({ [nameOf(random, dictionary)]: value }),
    () => JSON.stringify(value),
    () => random.pick(TRAPS).repeat(random.between(1, 400)),
    () => nested(value, random.chance(0.9) ? random.between(1, 8) : random.between(60, 800)),
  ]
  return random.pick(makes)()
}

/** One that JSON can say. */
function numberOf(random: Random): number {
  const number = Number(random.pick(NUMBERS))
  return Number.isFinite(number) && !Object.is(number, -0) ? number : 1e308
}

function nested(value: Json, depth: number): Json {
  let inner = value
  for (let left = depth; left > 0; left--) inner = left % 2 === 0 ? [inner] : { a: inner }
  return inner
}
