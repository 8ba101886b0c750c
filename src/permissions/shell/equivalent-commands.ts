import type { Field } from './field.ts'
import { joinText, staticField } from './field.ts'
import type { Reading } from './reading.ts'

/**
 * Other spellings of the same command, so that a deny rule for one covers all: without the program's directory, in
 * lower case (file systems may ignore case), without options before the first operand, `rm -fr`.
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

/** The options of `rm` in every order, separate and clustered. */
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

/** If a program runs one of its arguments and it is unclear which, every argument that contains a space counts. */
export function hiddenTexts(args: readonly Field[], found: Reading): readonly (readonly Field[])[] {
  if (!found.inner.some((inner) => inner.type === 'unknown')) return []
  return args
    .filter((field) => /\s/.test(field.text))
    .map((field) => [staticField(field.text.replace(/^-[^=\s]*=/, ''))])
}
