import type { Branch } from '../../core/conversation.ts'
import { OffshootError } from '../../core/errors.ts'
import type { BranchId } from '../../core/ids.ts'
import type { AgentAuthor, Author } from '../../core/message.ts'
import { isFinal } from '../../core/run-status.ts'
import { holdsMore, type Rights } from '../../permissions/holds-more.ts'
import { conversationGrants, grantsFor, projectGrants } from '../asking/grants.ts'
import type { Deps } from '../context/deps.ts'
import type { RunTree } from '../context/scope.ts'
import type { LiveRun } from '../run/live-run.ts'
import {
  agentOf,
  authorityOf,
  mainAuthority,
  rootAuthority,
  type Authority,
  type AuthorityPorts,
} from './authority.ts'

/** Who starts or steers a turn, and on which branch. */
export interface Spoken {
  readonly author?: Author | undefined
  readonly branchId: BranchId
  /** Who is to answer on a main branch where nothing runs; default: as before. */
  readonly agent?: string | undefined
}

export type SpeakerPorts = AuthorityPorts & Pick<Deps, 'sharedLayers' | 'store'>

/**
 * An agent makes no run do what it may not do itself: what it starts or steers may do no more than it. In its own
 * conversation that is compared with its own authority; elsewhere with what a run that it starts itself could do there,
 * within the bounds of its branch. @throws OffshootError `usage`
 */
export function checkSpeaker(
  deps: SpeakerPorts,
  tree: Pick<RunTree, 'latest'>,
  { author = 'person', branchId, agent }: Spoken,
): void {
  const branch = deps.store.get('branches', branchId)
  if (author === 'person' || author === 'runtime' || !branch) return
  const more = holdsMore(rightsOf(deps, tree, branch, agent), ofAuthor(deps, tree, author, branch))
  if (more === undefined) return
  throw new OffshootError('usage', `a turn of ${branchId} is not for an agent that may do less: it ${more}`, {
    hint: 'a person does this, in their own terminal or on the page',
  })
}

function ofAuthor(
  deps: SpeakerPorts,
  tree: Pick<RunTree, 'latest'>,
  author: AgentAuthor | 'unknown',
  to: Branch,
): Rights {
  const own = author === 'unknown' ? undefined : deps.store.get('branches', author.branchId)
  if (own?.conversationId === to.conversationId) return rightsOf(deps, tree, own)
  const { namedMode: _, ...ports } = deps
  const shared = { ...ports, rootLayers: deps.sharedLayers ?? deps.rootLayers }
  const directory = deps.store.get('conversations', to.conversationId)?.directory
  const grants = directory === undefined ? [] : projectGrants(deps.store, directory)
  if (!own) return asRights(withoutOwnTools(rootAuthority(shared, deps.store, undefined)), grants)
  const authority = withoutOwnTools(authorityOf(shared, deps.store, own))
  const elsewhere = deps.store.get('conversations', own.conversationId)?.directory
  if (elsewhere === directory) return asRights(authority, grants)
  const [root, ...levels] = authority.chain
  // their patterns are for files of another directory
  const chain = [root!, ...levels.map((level) => ({ ...level, directory: level.directory ?? elsewhere! }))]
  return asRights({ ...authority, chain }, grants)
}

/** Of what works on a branch, or would work there next. */
function rightsOf(deps: SpeakerPorts, tree: Pick<RunTree, 'latest'>, branch: Branch, named?: string): Rights {
  const latest = tree.latest(branch.id)
  if (latest && !isFinal(latest.row.status))
    return asRights(latest, [...latest.opened, ...grantsFor(deps.store, latest.row)])
  const { chain, tools, opened } =
    branch.kind === 'main'
      ? nextOnMain(deps, latest, named ?? latest?.row.agent ?? branch.agent, branch)
      : (latest ?? authorityOf(deps, deps.store, branch))
  return asRights({ chain, tools }, [...opened, ...conversationGrants(deps.store, branch.conversationId)])
}

/** What the command line forbade the last run there does not bind the next one. */
function nextOnMain(
  deps: SpeakerPorts,
  latest: LiveRun | undefined,
  name: string,
  { conversationId }: Branch,
): Authority {
  const agent = latest?.agent.name === name ? latest.agent : agentOf(deps, name)
  const next = mainAuthority(deps, conversationId, agent)
  return { ...next, tools: [...next.tools, ...(latest?.tools ?? [])] }
}

function asRights({ chain, tools }: Pick<Authority, 'chain' | 'tools'>, grants: Rights['grants']): Rights {
  return { chain, tools: tools.map(({ name }) => name), grants }
}

/** The tools of a program are of its own runs. */
function withoutOwnTools(authority: Authority): Authority {
  return { ...authority, tools: authority.tools.filter(({ isOwn }) => !isOwn) }
}
