import type { ErrorAnswer } from '../protocol/fields.ts'

/**
 * What a server answered, or that none did: then `status` is 0 and `code` is `unreachable`. Codes are those of the
 * errors of the server (docs/server.md), and `bad_answer` for what none of its kind sends.
 */
export class ClientError extends Error {
  readonly code: string
  /** HTTP status; 0: there was no answer. */
  readonly status: number
  readonly hint: string | undefined
  readonly fields: ErrorAnswer['error']['fields']

  constructor(status: number, error: ErrorAnswer['error'], cause?: unknown) {
    super(error.message, cause === undefined ? undefined : { cause })
    this.name = 'ClientError'
    this.code = error.code
    this.status = status
    this.hint = error.hint
    this.fields = error.fields
  }
}

/** The error of an answer that is none of success, whatever its body is. */
export async function errorOf(response: Response): Promise<ClientError> {
  const text = await response.text().catch(() => '')
  return new ClientError(response.status, errorIn(text) ?? foreign(response))
}

function errorIn(text: string): ErrorAnswer['error'] | undefined {
  try {
    const { error } = JSON.parse(text) as Partial<ErrorAnswer>
    return typeof error?.code === 'string' && typeof error.message === 'string' ? error : undefined
  } catch {
    return undefined
  }
}

function foreign({ status }: Response): ErrorAnswer['error'] {
  return {
    code: 'bad_answer',
    message: `the server answered ${status}, and not in the manner of Offshoot`,
    hint: 'is it an Offshoot server?',
  }
}
