/** Result of a piece of code; `late`: it was stopped by the time limit. */
export type Timed<T> = { readonly late: false; readonly value: T } | { readonly late: true }

/**
 * Runs synchronous code on foreign data that could run forever (a backtracking regular expression, say) and stops it
 * after `ms` milliseconds. @throws what the code throws.
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
