import { builtinAgents } from '../agents/builtin-agents.ts'
import { createAgentRegistry, type AgentRegistry } from '../agents/registry.ts'
import { terminalLine } from '../core/terminal-text.ts'
import { agentWarnings, findAgents } from '../runtime/agent-sources.ts'
import { createWorkspace } from '../tools/workspace.ts'
import { say, type Io } from './io.ts'

/** Those that come with the program too. What is wrong with a file is said on stderr. */
export async function readAgents(directory: string, io: Io): Promise<AgentRegistry> {
  const found = await findAgents(createWorkspace(directory).root, io.env)
  for (const warning of agentWarnings(found)) await say(io, `offshoot: ${terminalLine(warning)}\n`)
  return createAgentRegistry([...found.agents, ...builtinAgents()])
}
