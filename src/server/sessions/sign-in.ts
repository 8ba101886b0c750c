import { Problem } from '../problem.ts'
import type { LinkKeys } from './link-keys.ts'
import type { Sessions } from './sessions.ts'

/** Largest body of this public route: only a key. Bytes. */
export const MAX_KEY_BODY = 1024

/**
 * The address that signs in one browser. The part after `#` is not sent to any server, and appears in no log or
 * Referer.
 */
export function linkTo(url: string, keys: LinkKeys): string {
  return `${url}/#key=${keys.make()}`
}

interface Door {
  readonly keys: LinkKeys
  readonly sessions: Sessions
  /** The browser's own name. */
  readonly browser: string | undefined
}

/** Exchanges the key of a link for a session. @throws Problem 401, 429 */
export function signIn(key: string, { keys, sessions, browser = '' }: Door): Response {
  const use = keys.use(key)
  if (use === 'many') throw new Problem(429, 'too_many', 'too many wrong keys; wait a minute')
  if (use === 'wrong')
    throw new Problem(
      401,
      'unauthorized',
      'this link was used before, or is older than 10 minutes',
      '`offshoot sessions link` prints a fresh one',
    )
  return Response.json(sessions.open(browser), { status: 201 })
}
