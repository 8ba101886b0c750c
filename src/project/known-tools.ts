import { OffshootError } from '../core/errors.ts'
import { strangerProblem, type KnownTools, type Stranger } from '../core/rules/unknown-tool.ts'
import type { AgentDefinition } from '../core/agent.ts'
import type { LoadedAgents } from '../agents/load-agents.ts'
import type { Registry } from '../tools/registry.ts'

const HINT =
  'a rule for a tool of one project belongs in its offshoot.jsonc, one for a tool of a program in its own config'

/** The tools of a runtime besides the built-in ones. */
export function knownTools(parts: {
  readonly tools?: Pick<Registry, 'list'> | undefined
  readonly agents?: Iterable<Pick<AgentDefinition, 'exposeAsTool'>> | undefined
  readonly found?: Pick<LoadedAgents, 'agentTools'> | undefined
}): KnownTools {
  const own = (parts.tools?.list() ?? []).flatMap(({ name, toolset }) => [name, toolset])
  const agents = [...(parts.agents ?? [])].flatMap(({ exposeAsTool }) => exposeAsTool?.name ?? [])
  return { names: [...new Set([...own, ...agents, ...(parts.found?.agentTools ?? [])])] }
}

/** @throws OffshootError `config` for the first unknown tool in a configuration. */
export function requireKnown(strangers: readonly Stranger[], known: KnownTools): void {
  for (const stranger of strangers) {
    const problem = strangerProblem(stranger, known)
    if (problem) throw new OffshootError('config', `${stranger.where}: ${problem}`, { hint: HINT })
  }
}
