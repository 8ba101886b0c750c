import { OffshootError } from '../../core/errors.ts'
import { ToolError } from '../../tools/port.ts'

/** What is told to a model as the failure of its call is told to a person as an error. */
export function recoded<T>(code: 'usage' | 'conflict', make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    throw new OffshootError(code, error.message, error.hint ? { hint: error.hint } : {})
  }
}
