import type { ErrorAnswer } from '../protocol/fields.ts'

/**
 * An error response of a server, or no response (`status` 0, `code` `unreachable`). Codes are the server's error codes
 * (docs/server.md), and `bad_answer` for responses that no Offshoot server sends.
 */
export class ClientError extends Error {
  readonly code: string
  /** HTTP status; 0: no response. */
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

/** The error of an unsuccessful response, whatever its body is. */
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
    message: `the response with status ${status} is not from an Offshoot server`,
    hint: 'check the address of the server',
  }
}
