import { OffshootError } from '../../core/errors.ts'
import { ToolError } from '../../tools/port.ts'

/** Converts an error for a model's call to one for a person. */
export function recoded<T>(code: 'usage' | 'conflict', make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    throw new OffshootError(code, error.message, error.hint ? { hint: error.hint } : {})
  }
}
