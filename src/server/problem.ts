import { errorMessage, OffshootError, type ErrorCode } from '../core/errors.ts'

/** Codes of invalid HTTP requests. */
export type ProblemCode =
  | 'forbidden'
  | 'unauthorized'
  | 'not_found'
  | 'too_large'
  | 'malformed'
  | 'invalid'
  | 'too_many'

/** Why a request is refused, as the response says it (docs/server.md). */
export class Problem extends Error {
  readonly status: ProblemStatus
  readonly code: ProblemCode | ErrorCode
  readonly hint: string | undefined

  constructor(status: ProblemStatus, code: ProblemCode | ErrorCode, message: string, hint?: string) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.hint = hint
  }
}

export type ProblemStatus = 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503 | 507

/** Converts any error to a response. Unexpected errors reveal no details. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (!(error instanceof OffshootError))
    return new Problem(500, 'internal', 'internal error', 'stderr of the server has details')
  return new Problem(statusOf(error.code), error.code, errorMessage(error), error.hint)
}

export function problemBody({ code, message, hint }: Problem): object {
  return { error: { code, message, ...(hint ? { hint } : {}) } }
}

function statusOf(code: ErrorCode): ProblemStatus {
  switch (code) {
    case 'usage':
      return 422
    case 'not_found':
      return 404
    case 'conflict':
    case 'config':
    case 'key':
      return 409
    case 'closed':
    case 'aborted':
    case 'store_locked':
    case 'store_lost':
      return 503
    case 'store_full':
      return 507
    default:
      return 500
  }
}
