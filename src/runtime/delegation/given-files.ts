import { filesPrompt } from '../../agents/workspace-prompt.ts'
import { OffshootError } from '../../core/errors.ts'
import type { BranchId } from '../../core/ids.ts'
import { authorWords, type Author } from '../../core/message.ts'
import type { Tx } from '../../store/port.ts'
import type { Workspace } from '../../tools/port.ts'
import {
  agentOf,
  authorityOf,
  mainAuthority,
  type Authority,
  type AuthorityPorts,
} from '../authority/authority.ts'
import type { Deps } from '../context/deps.ts'
import { decidePath, distinct, readContextFiles } from './context-files.ts'

export type GivenFilesPorts = AuthorityPorts & Pick<Deps, 'store'>

/** Files that somebody adds to a branch, by their paths. */
export interface GivenFiles {
  readonly paths: readonly string[]
  readonly author: Author
}

/**
 * The text of files added to a branch, as its agent may read them, below the name of who gave them. The rules of the branch decide, without asking.
 * @throws OffshootError `usage` for a file that they do not allow, that is outside, or that cannot be read.
 */
export async function readGivenFiles(
  deps: GivenFilesPorts,
  workspace: Workspace,
  branchId: BranchId,
  { paths, author }: GivenFiles,
): Promise<string | undefined> {
  if (paths.length === 0) return undefined
  const { agent, ...authority } = authorityHere(deps, branchId)
  const reader = { ...authority, name: agent, grants: [] }
  const decided = distinct(paths.map((path) => workspace.resolve(path))).map((path) =>
    decidePath(reader, workspace, path),
  )
  for (const { path, decision } of decided)
    if (path.outside && decision.action === 'ask') throw outsideError(path.absolute, workspace)
  const files = await readContextFiles(decided, workspace, workspace.root, false)
  for (const file of files)
    if ('problem' in file)
      throw new OffshootError('usage', `${file.path} cannot be given to ${branchId}: ${file.problem}`)
  return filesPrompt(files, `Files given by ${authorWords(author)}`)
}

function outsideError(file: string, { root }: Workspace): OffshootError {
  return new OffshootError('usage', `${file} is outside ${root}, and no rule allows reading it`, {
    hint: `copy it into ${root}, or add a rule: {"tool": "external_directory", "pattern": ${JSON.stringify(file)}, "action": "allow"}`,
  })
}

function authorityHere(deps: GivenFilesPorts, branchId: BranchId): Authority & { readonly agent: string } {
  const branch = deps.store.get('branches', branchId)!
  const agent = lastAgent(deps.store, branchId) ?? branch.agent
  if (branch.kind !== 'main') return { agent, ...authorityOf(deps, deps.store, branch) }
  return { agent, ...mainAuthority(deps, branch.conversationId, agentOf(deps, agent)) }
}

function lastAgent(reader: Pick<Tx, 'find'>, branchId: BranchId): string | undefined {
  return reader.find('runs', { where: { branchId }, orderBy: 'id', descending: true, limit: 1 })[0]?.agent
}
