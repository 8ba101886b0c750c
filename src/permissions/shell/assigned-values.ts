import { carriesCode, isCommandLine } from './code-variables.ts'
import { staticField } from './field.ts'
import type { Reading } from './reading.ts'
import { caution, merge, reading, unknownInner } from './reading.ts'
import { suspectTexts } from './suspects.ts'

/** What setting a variable makes of the programs that run with it. `value`: null where it is not known. */
export function readAssigned(name: string, value: string | null): Reading {
  if (!carriesCode(name, value)) return reading({})
  return merge(caution(`sets ${name}`), suspectsOf(name, value))
}

/** A function comes through the environment too; an editor or a pager is a command line. */
function suspectsOf(name: string, value: string | null): Reading {
  if (name.startsWith('BASH_FUNC') || value?.startsWith('()') === true)
    return unknownInner(`sets ${name} to a function`)
  if (!isCommandLine(name)) return reading({})
  return value === null
    ? unknownInner(`sets ${name} to a text that is not known before it runs`)
    : reading({ suspects: suspectTexts([staticField(value)]) })
}
