import { requireGrant, revokeGrant } from '../asking/grants.ts'
import type { Deps } from '../context/deps.ts'
import { notHere, type VerbScope } from './verb-scope.ts'

export interface RevokeAnswer {
  readonly grantId: string
}

/** Revokes a permanent grant in a conversation. @throws OffshootError `not_found` */
export async function revoke(
  { deps, live, settle }: VerbScope<Pick<Deps, 'recorder' | 'store'>>,
  id: string,
): Promise<RevokeAnswer> {
  if (requireGrant(deps.store, id).conversationId !== live.id) throw notHere(id, live.id)
  const done = { grantId: id }
  await deps.recorder.record(live.id, ({ tx }) => {
    revokeGrant(tx, id)
    settle(tx, done)
  })
  return done
}
