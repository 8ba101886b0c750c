import { builtinAgents } from '../agents/builtin-agents.ts'
import type { AgentRegistry } from '../agents/registry.ts'
import { terminalLine } from '../core/terminal-text.ts'
import { agentWarnings, findAgents } from '../runtime/agent-sources.ts'
import { loadConfig } from '../runtime/config.ts'
import { configuredAgents } from '../runtime/settings/agent-settings.ts'
import { knownTools, requireKnown } from '../runtime/settings/known-tools.ts'
import { createWorkspace } from '../tools/workspace.ts'
import { say, type Io } from './io.ts'

/** Those that come with the program too. What is wrong with a file is said on stderr. */
export async function readAgents(directory: string, io: Io): Promise<AgentRegistry> {
  const { root } = createWorkspace(directory)
  const loaded = loadConfig(root, io.env)
  const found = await findAgents(
    root,
    io.env,
    loaded.config,
    knownTools({ agents: Object.values(loaded.config.agents) }),
  )
  for (const warning of agentWarnings(found)) await say(io, `offshoot: ${terminalLine(warning)}\n`)
  const { agents, warnings } = configuredAgents([...found.agents, ...builtinAgents()], loaded.sources)
  for (const warning of warnings) await say(io, `offshoot: ${terminalLine(warning)}\n`)
  requireKnown(loaded.strangers, knownTools({ agents: agents.list(), found }))
  return agents
}
