import { builtinAgents } from '../agents/builtin-agents.ts'
import { createAgentRegistry, type AgentRegistry } from '../agents/registry.ts'
import { terminalLine } from '../core/terminal-text.ts'
import { agentWarnings } from '../runtime/agent-sources.ts'
import type { Config } from '../runtime/config-schema.ts'
import { loadProject, trustWarnings } from '../runtime/trust/project.ts'
import { createWorkspace } from '../tools/workspace.ts'
import { say, type Io } from './io.ts'

interface ReadAgents {
  readonly registry: AgentRegistry
  readonly config: Config
}

/** Those that come with the program too. What is wrong with a file is said on stderr. */
export async function readAgents(directory: string, io: Io): Promise<ReadAgents> {
  const { loaded, found, trust } = await loadProject(createWorkspace(directory).root, io.env)
  for (const warning of [...trustWarnings(trust), ...agentWarnings(found)])
    await say(io, `offshoot: ${terminalLine(warning)}\n`)
  return { registry: createAgentRegistry([...found.agents, ...builtinAgents()]), config: loaded.config }
}
