import { carriesCode, isCommandLine } from './code-variables.ts'
import { staticField } from './field.ts'
import type { Reading } from './reading.ts'
import { caution, merge, reading, unknownInner } from './reading.ts'
import { suspectTexts } from './suspects.ts'

/** How setting a variable affects the programs that run with it. `value`: null if unknown. */
export function readAssigned(name: string, value: string | null): Reading {
  if (!carriesCode(name, value)) return reading({})
  return merge(caution(`sets ${name}`), suspectsOf(name, value))
}

/** The environment can define functions too; variables for editors and pagers hold command lines. */
function suspectsOf(name: string, value: string | null): Reading {
  if (name.startsWith('BASH_FUNC') || value?.startsWith('()') === true)
    return unknownInner(`sets ${name} to a function`)
  if (!isCommandLine(name)) return reading({})
  return value === null
    ? unknownInner(`sets ${name} to a value that is unknown in advance`)
    : reading({ suspects: suspectTexts([staticField(value)]) })
}
