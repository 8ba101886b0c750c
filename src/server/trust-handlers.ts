import { isAbsolute } from 'node:path'
import type { TrustRow } from '../protocol/trust.ts'
import { giveTrust, revokeTrust } from '../project/give-trust.ts'
import { heldBack, loadProject, rootOf, shownRequest, type TrustState } from '../project/project.ts'
import type { Handlers, ServerContext } from './route-handler.ts'
import { Problem } from './problem.ts'

/** What the files of a directory ask for. Trust changes apply to work that starts afterwards. */
export const trustHandlers: Handlers<'getTrust' | 'giveTrust' | 'revokeTrust'> = {
  getTrust: async (context, { input }) => await stateOf(context, placeOf(context, input.directory)),

  async giveTrust(context, { input: { directory, digest } }) {
    const { env } = context.directoryRuntimes
    return shown(await giveTrust(placeOf(context, directory), digest, env))
  },

  async revokeTrust(context, { input }) {
    const place = placeOf(context, input.directory)
    revokeTrust(place, context.directoryRuntimes.env)
    return await stateOf(context, place)
  },
}

async function stateOf({ directoryRuntimes }: ServerContext, directory: string): Promise<TrustRow> {
  return shown((await loadProject(directory, directoryRuntimes.env)).trust)
}

function placeOf(context: ServerContext, directory = context.directory): string {
  if (!isAbsolute(directory)) throw new Problem(422, 'invalid', 'directory: expected an absolute path')
  return rootOf(directory)
}

function shown(state: TrustState): TrustRow {
  const { directory, digest, problem, requests } = state
  return {
    directory,
    digest,
    problem,
    trusted: heldBack(state).length === 0,
    requests: requests.map(shownRequest),
  }
}
