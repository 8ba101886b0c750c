/** What a piece of code came to; `late`: it was ended because it took too long. */
export type Timed<T> = { readonly late: false; readonly value: T } | { readonly late: true }

/**
 * Runs synchronous code that somebody else's data could make run for ever (a regular expression that backtracks, say) and
 * ends it after `ms` milliseconds. @throws what the code throws.
 */
export function withinTime<T>(ms: number, run: () => T): Timed<T> {
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined
  const call = () => {
    try {
      outcome = { value: run() }
    } catch (error) {
      outcome = { error }
    }
  }
  const { createContext, Script } = process.getBuiltinModule('node:vm') // few agents have a schema with patterns
  try {
    new Script('call()').runInContext(createContext({ call }), { timeout: ms })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { late: true }
    throw error
  }
  if (outcome && 'error' in outcome) throw outcome.error
  return { late: false, value: outcome!.value }
}
