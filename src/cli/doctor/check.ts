import { OffshootError, errorMessage, type ErrorCode } from '../../core/errors.ts'

/** One thing that was looked at. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'problem'
  readonly message: string
  /** What to do next. */
  readonly hint?: string
  /** Of a problem: decides the exit code. */
  readonly code?: ErrorCode
}

export function ok(name: string, message: string): Check {
  return { name, status: 'ok', message }
}

export function warning(name: string, message: string, hint?: string): Check {
  return { name, status: 'warning', message, ...(hint === undefined ? {} : { hint }) }
}

export function problem(name: string, message: string, hint: string, code: ErrorCode = 'internal'): Check {
  return { name, status: 'problem', message, hint, code }
}

/** What an error says: its message, its hint and its code. */
export function failed(
  name: string,
  error: unknown,
  hint = 'Fix this, and run offshoot doctor again.',
): Check {
  const known = error instanceof OffshootError ? error : undefined
  return problem(name, errorMessage(error), known?.hint ?? hint, known?.code)
}
