import { terminalLine, terminalText } from './terminal-text.ts'

/**
 * Every error that a person or a program can meet has a code, a sentence that says what is wrong, and if possible a
 * hint that says what to do next. The command line maps codes to exit codes (docs/cli.md).
 */
export type ErrorCode =
  | 'usage' // wrong arguments, unknown id, agent or model, unreadable directory
  | 'config' // a configuration file or value
  | 'key' // no credentials for a provider
  | 'store_corrupt'
  | 'store_newer' // written by a newer program
  | 'store_foreign' // a database, but not ours
  | 'store_readonly'
  | 'store_full'
  | 'store_locked'
  | 'store_lost' // removed or replaced while it was open
  | 'not_found'
  | 'conflict' // the thing is not in a state that allows this
  | 'window' // the context exceeds the model's window
  | 'provider' // the model's provider answered with an error
  | 'aborted'
  | 'closed' // the library's `close` was called
  | 'internal'

export interface ErrorOptions {
  readonly hint?: string
  readonly cause?: unknown
}

export class OffshootError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(shownMessage(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'OffshootError'
    this.code = code
    this.hint = options.hint
  }
}

/** A provider's error, in a form for retries and for people. */
export interface ProviderErrorDetails extends ErrorOptions {
  /** HTTP status; undefined: no response. */
  readonly status?: number
  /** Milliseconds that the provider asked us to wait (Retry-After). */
  readonly retryAfterMs?: number
  readonly retryable: boolean
  /** The request has more tokens than the model accepts. */
  readonly isTooLong?: boolean
  /** The provider's filter refused the request. */
  readonly isFiltered?: boolean
}

export class ProviderError extends OffshootError {
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  readonly retryable: boolean
  readonly isTooLong: boolean
  readonly isFiltered: boolean

  constructor(message: string, details: ProviderErrorDetails) {
    super('provider', message, details)
    this.name = 'ProviderError'
    this.status = details.status
    this.retryAfterMs = details.retryAfterMs
    this.retryable = details.retryable
    this.isTooLong = details.isTooLong ?? false
    this.isFiltered = details.isFiltered ?? false
  }
}

/** The message of any thrown value, on one line, without terminal control sequences. */
export function errorMessage(error: unknown): string {
  return terminalLine(textOf(error)).toWellFormed() || 'unknown error'
}

/** A message may quote a file or a model: quoted text must not control the terminal or fill the screen. */
function shownMessage(message: string): string {
  const shown = terminalText(message.slice(0, MAX_MESSAGE)).toWellFormed()
  return message.length > MAX_MESSAGE ? `${shown}…` : shown
}

const MAX_MESSAGE = 1_500

function textOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return '' // an object without a text form
  }
}

/** For exhaustive switches: a case that the types exclude. */
export function unreachable(value: never): never {
  throw new OffshootError('internal', `unexpected value: ${JSON.stringify(value)}`)
}

/** The store failed. */
export function isStoreError(error: unknown): boolean {
  return error instanceof OffshootError && error.code.startsWith('store_')
}
