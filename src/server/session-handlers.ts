import type { Handlers } from './route-handler.ts'
import { Problem } from './problem.ts'

/** Lists and ends the sessions of signed-in pages. */
export const sessionHandlers: Handlers<'listSessions' | 'endSession' | 'endSessions'> = {
  listSessions: ({ sessions }, { caller }) =>
    sessions.list().map(({ hash: _, ...session }) => ({
      ...session,
      isCurrent: caller.kind === 'session' && caller.id === session.id,
    })),

  endSession({ sessions }, { id }) {
    if (sessions.end(id)) return { id }
    throw new Problem(404, 'not_found', `there is no session ${id.slice(0, 100)}`)
  },

  endSessions: ({ sessions }) => ({ ended: sessions.endAll() }),
}
