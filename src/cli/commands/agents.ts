import type { Command } from 'commander'
import { resolve } from 'node:path'
import { builtinAgents } from '../../agents/builtin-agents.ts'
import { loadAgents } from '../../agents/load.ts'
import { ownDirectories } from '../../agents/own-format.ts'
import { createAgentRegistry, type AgentRegistry } from '../../agents/registry.ts'
import type { AgentDefinition } from '../../core/agent.ts'
import { terminalLine, terminalText } from '../../core/terminal-text.ts'
import { noteText } from '../../runtime/compose.ts'
import { configHome, loadConfig } from '../../runtime/config.ts'
import type { Config } from '../../runtime/config-schema.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { say, write, type Io } from '../io.ts'
import { jsonLine } from '../json-line.ts'
import { groupCommand, type PlaceFlags } from './group-command.ts'
import { laterCommand } from './later.ts'

export function agentsCommand(program: Command, io: Io): void {
  const agents = groupCommand(program, 'agents', 'list the agents of a directory', (flags) => list(flags, io))
  agents.add('ls', 'the same').action(() => list(agents.flags(), io))
  agents
    .add('show', 'all about one: what it is for, may do and is told')
    .argument('<agent>')
    .action((name: string) => show(name, agents.flags(), io))
  const instead = 'offshoot agents shows what was read, and names each file that was skipped'
  laterCommand(agents.command, 'check', 'check agent files', instead)
  laterCommand(agents.command, 'import', 'take agent files of other programs over', instead)
  laterCommand(agents.command, 'export', 'write agents as files of other programs', instead)
}

async function list({ directory, json }: PlaceFlags, io: Io): Promise<void> {
  const agents = (await readAgents(resolve(io.cwd, directory), io)).list()
  if (json) return write(io.stdout, jsonLine(agents))
  const lines = agents.map(
    ({ name, description, maxTurns }) =>
      `${name.padEnd(12)} ${maxTurns ?? '-'} turns  ${terminalLine(description)}\n`,
  )
  await write(io.stdout, lines.join(''))
}

async function show(name: string, { directory, json }: PlaceFlags, io: Io): Promise<void> {
  const place = resolve(io.cwd, directory)
  const agent = (await readAgents(place, io)).require(name)
  const configured = loadConfig(createWorkspace(place).root, io.env).config.agents[name] ?? {}
  if (json) return write(io.stdout, jsonLine({ ...agent, configured }))
  await write(io.stdout, `${agentLines(agent, configured).join('\n')}\n`)
}

/** Those that come with the program too. What is wrong with a file is said on stderr. */
async function readAgents(directory: string, io: Io): Promise<AgentRegistry> {
  const found = await loadAgents(ownDirectories(createWorkspace(directory).root, configHome(io.env)))
  for (const note of found.notes) await say(io, `offshoot: ${terminalLine(noteText(note))}\n`)
  return createAgentRegistry([...found.agents, ...builtinAgents()])
}

function agentLines(agent: AgentDefinition, configured: Config['agents'][string]): string[] {
  const { name, description, prompt, source, ...rest } = agent
  const facts: Readonly<Record<string, unknown>> = {
    model: 'inherit',
    tools: 'all that its parent has',
    maxTurns: 'limits.maxTurnsSubagent',
    ...rest,
  }
  const fact = (key: string, value: string) => `${key.padEnd(WIDTH)} ${terminalLine(value)}`
  return [
    terminalLine(name),
    terminalLine(description),
    '',
    ...Object.entries(facts).map(([key, value]) => fact(key, factText(value))),
    ...Object.entries(configured).map(([key, value]) => fact(key, `${value} (by the configuration)`)),
    fact('source', source),
    '',
    terminalText(prompt).trimEnd(),
  ]
}

const WIDTH = 'disallowedTools'.length

function factText(value: unknown): string {
  if (Array.isArray(value)) return value.map(ruleOrName).join(', ') || 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function ruleOrName(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('action' in value)) return String(value)
  const { tool, pattern, action } = value as { tool: string; pattern?: string; action: string }
  return `${action} ${pattern === undefined ? tool : `${tool}:${pattern}`}`
}
