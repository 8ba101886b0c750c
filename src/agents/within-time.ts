import { once } from '../core/once.ts'

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
  const { context, script } = caller()
  context.call = call
  try {
    script.runInContext(context, { timeout: ms })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { late: true }
    throw error
  } finally {
    context.call = undefined
  }
  if (outcome && 'error' in outcome) throw outcome.error
  return { late: false, value: outcome!.value }
}

/** One for all calls, as making a context takes milliseconds; and only when it is first needed: few agents have a schema. */
const caller = once(() => {
  const { createContext, Script } = process.getBuiltinModule('node:vm')
  const context: { call?: (() => void) | undefined } = {}
  createContext(context)
  return { context, script: new Script('call()') }
})
