import { UNKNOWN } from '../match-pattern.ts'
import { resolveWord } from '../resolve-path-words.ts'
import type { Field } from './field.ts'
import type { Invocation, Reading } from './reading.ts'
import { caution, merge, reading, uses } from './reading.ts'

const WHOLE = 'removes a whole directory tree and always asks'

/** Programs whose allow rules never cover removing everything. */
const REMOVING = new Set(['rm', 'mv', 'shred', 'unlink', 'rmdir'])

/** No rule for a program covers removing everything or moving it away. */
export function removedTrees({ program, args }: Invocation): Reading {
  if (!REMOVING.has(program)) return reading({})
  const operands = args.filter((field) => !field.text.startsWith('-'))
  const removed = program === 'mv' ? operands.slice(0, -1) : operands
  const recursive = args.some((field) => /^-[a-zA-Z]*[rR]|^--r/.test(field.text))
  const whole = removed.some((field) => isEverything(field) || (recursive && isAnything(field)))
  if (whole) return reading({ guards: [WHOLE] })
  const unsure = removed.some((field) => field.text.includes(UNKNOWN) && field.found === undefined)
  const wild = removed.some((field) => field.glob && /^(\.?\/)*[*?[]/.test(field.text))
  return merge(
    program === 'mv' ? uses('remove', removed) : reading({}),
    recursive && (unsure || wild) ? caution('removes files that are unknown in advance') : reading({}),
  )
}

const EVERYTHING =
  /^(~[\w+-]*|\/|\.|\.\.|\*|\.\*|\/\*|(\.|\.\.|~)\/\*?|\.\[.*|\.\?.*|(\.\.\/)+(\.\.)?\*?|\/[^/]+\/?\*?|(.*\/)?\.{1,2}\/?)$/

function isEverything(field: Field): boolean {
  const text = field.text.replaceAll(/\/+/g, '/').replaceAll('/./', '/')
  return EVERYTHING.test(text) || EVERYTHING.test(resolveWord(text))
}

/** `$X`, `$X/`, `$X/*`: if X is empty, this is the root directory. */
function isAnything(field: Field): boolean {
  return field.found === undefined && /^\0+\/*[*.]*$/.test(field.text)
}
