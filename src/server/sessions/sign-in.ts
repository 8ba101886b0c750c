import { z } from 'zod'
import { readObject } from '../request-body.ts'
import { Problem } from '../problem.ts'
import type { LinkKeys } from './link-keys.ts'
import type { Sessions } from './sessions.ts'

/** Nobody has to be known to send this: a key, and nothing more. Bytes. */
const MAX_KEY_BODY = 1024

const body = z.lazy(() => z.strictObject({ key: z.string().max(100) }))

/** The address that lets one browser in. What follows `#` is sent to no server, and stands in no log and no Referer. */
export function linkTo(url: string, keys: LinkKeys): string {
  return `${url}/#key=${keys.make()}`
}

/** Exchanges the key of a link for a session. @throws Problem 413, 400, 422, 401, 429 */
export async function signIn(request: Request, keys: LinkKeys, sessions: Sessions): Promise<Response> {
  const parsed = body.safeParse(await readObject(request, { limit: MAX_KEY_BODY }))
  if (!parsed.success) throw new Problem(422, 'invalid', 'expected {"key": "..."}, and nothing else')
  const use = keys.use(parsed.data.key)
  if (use === 'many') throw new Problem(429, 'too_many', 'too many wrong keys; wait a minute')
  if (use === 'wrong')
    throw new Problem(
      401,
      'unauthorized',
      'this link was used before, or is older than 10 minutes',
      '`offshoot sessions link` prints a fresh one',
    )
  const opened = sessions.open(request.headers.get('user-agent') ?? '')
  return Response.json(opened, { status: 201 })
}
