import { Problem } from './problem.ts'
import type { Sessions } from './sessions/sessions.ts'
import { isSame } from './installation-token.ts'

const BEARER = /^Bearer ([\w-]{1,200})$/i

/** The caller: a program with the installation's token, or a page with a session. */
export type Caller =
  | { readonly kind: 'token' }
  | {
      readonly kind: 'session'
      readonly id: string
      /** Aborted when the session ends, which also ends its open streams. */
      readonly signal: AbortSignal
    }

/** Authenticates by the Authorization header only: a cookie would reach every port of this machine. */
export class Access {
  readonly #token: string
  readonly #sessions: Sessions

  constructor(token: string, sessions: Sessions) {
    this.#token = token
    this.#sessions = sessions
  }

  /** @throws Problem 401 */
  check(authorization: string | undefined): Caller {
    const given = BEARER.exec(authorization ?? '')?.[1]
    if (given !== undefined && isSame(given, this.#token)) return { kind: 'token' }
    const session = given === undefined ? undefined : this.#sessions.find(given)
    if (session) return { kind: 'session', ...session }
    throw new Problem(
      401,
      'unauthorized',
      authorization === undefined ? 'a token is required' : 'this token is unknown, or its session has ended',
      'send Authorization: Bearer $(cat "$OFFSHOOT_HOME/token"); for a browser, `offshoot sessions link` prints a link',
    )
  }
}
