import { isAbsolute } from 'node:path'
import type { TrustRow } from '../protocol/trust.ts'
import { giveTrust, revokeTrust } from '../project/give-trust.ts'
import { heldBack, loadProject, rootOf, shownRequest, type TrustState } from '../project/project.ts'
import type { Handlers, House } from './route-handler.ts'
import { Problem } from './problem.ts'

/** What the files of a directory ask for. What is granted or taken back counts for what begins there afterwards. */
export const trustHandlers: Handlers<'getTrust' | 'giveTrust' | 'revokeTrust'> = {
  getTrust: async (house, { input }) => await stateOf(house, placeOf(house, input.directory)),

  async giveTrust(house, { input: { directory, digest } }) {
    const { env } = house.workplaces
    return shown(await giveTrust(placeOf(house, directory), digest, env))
  },

  async revokeTrust(house, { input }) {
    const place = placeOf(house, input.directory)
    revokeTrust(place, house.workplaces.env)
    return await stateOf(house, place)
  },
}

async function stateOf({ workplaces }: House, directory: string): Promise<TrustRow> {
  return shown((await loadProject(directory, workplaces.env)).trust)
}

function placeOf(house: House, directory = house.directory): string {
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
