import type { ReferenceFile } from '../../agents/workspace-prompt.ts'
import type { AgentDefinition } from '../../core/agent.ts'
import { errorMessage } from '../../core/errors.ts'
import { decide } from '../../permissions/decide.ts'
import type { Decision, Grant } from '../../permissions/types.ts'
import type { ResolvedPath, Workspace } from '../../tools/port.ts'
import { readFile } from '../../tools/read-file.ts'
import { workspaceAt } from '../../tools/workspace-at.ts'
import type { Authority } from '../authority/authority.ts'
import type { PreparedSpawn } from '../run/prepared-spawn.ts'

/** The reader: an agent that starts another, or a main agent for itself. */
export interface FileReader extends Authority {
  readonly name: string
  readonly grants: readonly Grant[]
}

/** The rules' decision about one path, read by an agent. */
export interface DecidedPath {
  readonly path: ResolvedPath
  readonly decision: Decision
}

/** Decides a file as a `read` of an agent, which must have that tool. */
export function decideFile(reader: FileReader, workspace: Workspace, path: ResolvedPath): DecidedPath {
  if (reader.tools.some((tool) => tool.name === 'read')) return decidePath(reader, workspace, path)
  const why = `denied, because ${reader.name} has no tool \`read\``
  return { path, decision: { action: 'deny', why, grant: null } }
}

/** The rules' decision about a path, whatever tool reads it. */
export function decidePath(
  { chain, grants, opened }: FileReader,
  workspace: Workspace,
  path: ResolvedPath,
): DecidedPath {
  const resolvePath = (other: string) => workspace.resolve(other)
  const about = { tool: 'read', toolset: 'files', effects: 'none', resolvePath } as const
  const call = { ...about, subjects: [{ kind: 'path', path }] } as const
  return { path, decision: decide(call, chain, [...grants, ...opened]) }
}

/** A definition applies to the whole workspace. */
export function definedFiles(workspace: Workspace, agent: AgentDefinition | undefined): ResolvedPath[] {
  return (agent?.contextFiles ?? []).map((path) => workspace.resolve(path))
}

export function distinct(paths: readonly ResolvedPath[]): readonly ResolvedPath[] {
  return [...new Map(paths.map((path) => [path.absolute, path])).values()]
}

/** The files that these definitions name, for a run that no agent started: without asking. */
export async function readDefinedFiles(
  reader: FileReader,
  workspace: Workspace,
  agents: readonly AgentDefinition[],
): Promise<Pick<PreparedSpawn, 'contextFiles' | 'files'>> {
  const paths = distinct(agents.flatMap((agent) => definedFiles(workspace, agent)))
  const decided = paths.map((path) => decideFile(reader, workspace, path))
  const files = await readContextFiles(decided, workspace, workspace.root, false)
  return { contextFiles: paths.map(({ absolute }) => absolute), files }
}

const MAX_LINES = 20_001
const MAX_CHARS = 256 * 1024

/**
 * The text of each permitted file, or why there is none. `asked`: a person allowed what the rules ask about.
 * `directory`: the base of relative names.
 */
export async function readContextFiles(
  files: readonly DecidedPath[],
  workspace: Workspace,
  directory: string,
  asked: boolean,
): Promise<ReferenceFile[]> {
  const read: ReferenceFile[] = []
  for (const { path, decision } of files) {
    const name = workspaceAt(workspace, directory).resolve(path.absolute).relative
    const { action, why } = decision
    if (action === 'allow' || (asked && action === 'ask')) read.push({ path: name, ...(await textOf(path)) })
    else read.push({ path: name, problem: action === 'ask' ? `nobody can be asked: ${why}` : why })
  }
  return read
}

/** Opened as it was when it was permitted: a link created since then is not followed. */
async function textOf(path: ResolvedPath): Promise<{ text: string } | { problem: string }> {
  try {
    const content = await readFile(path, { first: 1, count: MAX_LINES })
    if (content.type === 'text') return { text: content.lines.join('\n').slice(0, MAX_CHARS) }
    return { problem: `it is not text but ${content.file.mediaType}` }
  } catch (error) {
    return { problem: errorMessage(error) }
  }
}
