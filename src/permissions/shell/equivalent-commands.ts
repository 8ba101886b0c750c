import type { Field } from './field.ts'
import { joinText, staticField } from './field.ts'
import type { Reading } from './reading.ts'

/**
 * Other spellings of a command that do the same, so that a rule against one is one against all: without the directory
 * of the program, in lower case (file systems may not tell case), without options before the first operand, `rm -fr`.
 */
export function forbiddenSpellings(
  fields: readonly Field[],
  more: readonly (readonly Field[])[],
): readonly string[] {
  const [name, ...args] = fields
  if (name === undefined) return []
  const plain = { ...name, text: name.text.replace(/\.exe$/i, '').toLowerCase() }
  const first = args.findIndex((field) => !field.text.startsWith('-'))
  const spellings = [fields, [plain, ...args], ...more]
  if (first > 0) spellings.push([plain, ...args.slice(first)])
  if (plain.text === 'rm') spellings.push(...removals(args))
  return [...new Set(spellings.map(joinText))]
}

const LONG: Readonly<Record<string, string>> = {
  '--recursive': 'r',
  '--force': 'f',
  '--verbose': 'v',
  '--dir': 'd',
}
const MAX_LETTERS = 4

/** The options of `rm` in every order, together and apart. */
function removals(args: readonly Field[]): readonly (readonly Field[])[] {
  const options = args.filter((field) => field.text.startsWith('-'))
  const rest = args.filter((field) => !field.text.startsWith('-'))
  const letters = [
    ...new Set(
      options.flatMap(({ text }) => (LONG[text] ?? text.replaceAll('-', '')).toLowerCase().split('')),
    ),
  ]
  if (letters.length === 0 || letters.length > MAX_LETTERS) return []
  return permutations(letters).flatMap((order) => [
    [staticField('rm'), staticField(`-${order.join('')}`), ...rest],
    [staticField('rm'), ...order.map((letter) => staticField(`-${letter}`)), ...rest],
  ])
}

function permutations(letters: readonly string[]): readonly (readonly string[])[] {
  if (letters.length < 2) return [letters]
  return letters.flatMap((letter) =>
    permutations(letters.filter((other) => other !== letter)).map((rest) => [letter, ...rest]),
  )
}

/** Where a program runs what a word of it says, every word with a command line in it may be the one. */
export function hiddenTexts(args: readonly Field[], found: Reading): readonly (readonly Field[])[] {
  if (!found.inner.some((inner) => inner.type === 'unknown')) return []
  return args
    .filter((field) => /\s/.test(field.text))
    .map((field) => [staticField(field.text.replace(/^-[^=\s]*=/, ''))])
}
