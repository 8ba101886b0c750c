import type { Command } from 'commander'
import { resolve } from 'node:path'
import type { AgentDefinition } from '../../core/agent.ts'
import { agentTitle } from '../../client/agent-mark.ts'
import { terminalLine, terminalText } from '../../core/terminal-text.ts'
import type { LoadedConfig } from '../../config/config-sources.ts'
import type { Config } from '../../config/config-schema.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import type { SetExitCode } from '../exit-codes.ts'
import { write, type Io } from '../io.ts'
import { besideLines, outputColumns } from '../terminal/hanging-lines.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { loadProjectWithWarnings } from '../load-project.ts'
import { ruleText } from '../terminal/rule-text.ts'
import { addAgentsCheck } from './agents-check.ts'
import { addAgentsCommands } from './agents-commands.ts'
import { addAgentsExport } from './agents-export.ts'
import { addAgentsImport } from './agents-import.ts'
import { agentIcons } from '../terminal/progress/agent-icons.ts'
import { groupCommand, type PlaceFlags } from './group-command.ts'

export function agentsCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  const agents = groupCommand(program, 'agents', 'list the agents of a directory', (flags) => list(flags, io))
  agents.add('ls', 'list the agents').action(() => list(agents.flags(), io))
  agents
    .add('show', 'show an agent: its purpose, permissions and instructions')
    .argument('<agent>')
    .action((name: string) => show(name, agents.flags(), io))
  addAgentsCheck(agents, io, setExitCode)
  addAgentsImport(agents, io)
  addAgentsExport(agents, io)
  addAgentsCommands(agents, io)
}

async function list({ directory, json }: PlaceFlags, io: Io): Promise<void> {
  const place = resolve(io.cwd, directory)
  const project = await loadProjectWithWarnings(place, io)
  const agents = project.agents.list()
  if (json) return write(io, jsonLine(agents))
  const { root } = createWorkspace(place)
  const iconOf = agentIcons(agents)
  const columns = outputColumns(io)
  const lines = agents.map(({ name, title, description, maxTurns, source }) => {
    const from = source === 'built-in' ? '' : `  (${terminalLine(shortPath(source, root))})`
    const about = title === undefined ? description : `${agentTitle(title)}: ${description}`
    const turns = String(maxTurns ?? '-').padStart(2)
    return besideLines(
      `${terminalLine(name).padEnd(12)} ${turns} turns  `,
      `${iconOf?.(name) ?? ''}${terminalLine(about)}${from}`,
      columns,
    )
  })
  const ignored = project.found.files.filter((file) => file.skipped !== null && file.heldBack.length > 0)
  const heldBack = ignored.map(({ name, path, skipped }) => {
    const from = `  (${terminalLine(shortPath(path, root))})`
    return besideLines(
      `${terminalLine(name ?? '').padEnd(12)} ignored   `,
      terminalLine(skipped!) + from,
      columns,
    )
  })
  const all = [...lines, ...heldBack].flat()
  await write(io, all.map((line) => `${line}\n`).join(''))
}

function shortPath(path: string, root: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
}

async function show(name: string, { directory, json }: PlaceFlags, io: Io): Promise<void> {
  const place = resolve(io.cwd, directory)
  const {
    agents,
    loaded: { config, sources },
  } = await loadProjectWithWarnings(place, io)
  const agent = agents.require(name)
  const configured = config.agents[name] ?? {}
  const delegations = config.delegations.filter((each) => each.agent === name || each.for === name)
  if (json) return write(io, jsonLine({ ...agent, configured, delegations }))
  await write(io, `${agentLines(agent, configuredFacts(name, sources), delegations).join('\n')}\n`)
}

function agentLines(
  agent: AgentDefinition,
  configured: ReadonlyMap<string, string>,
  delegations: Config['delegations'],
): string[] {
  const { name, description, prompt, source, narrowed = [], ...rest } = agent
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
    ...Object.entries(facts).map(([key, value]) => fact(key, `${factText(value)}${by(configured.get(key))}`)),
    ...narrowed.map(({ source, rules }) => fact('narrowed', `${factText(rules)} (by the ${source})`)),
    ...delegations.map((each) => fact('delegated', `${each.agent} for ${each.for}: ${ruleText(each)}`)),
    fact('source', source),
    '',
    terminalText(prompt).trimEnd(),
  ]
}

/** Which source has the last word about each field. */
function configuredFacts(name: string, sources: LoadedConfig['sources']): ReadonlyMap<string, string> {
  const said = sources.flatMap(({ name: source, values }) => {
    const settings = (values['agents'] as Config['agents'] | undefined)?.[name] ?? {}
    return Object.keys(settings).map((key) => [key, source] as const)
  })
  return new Map(said.filter(([key]) => key !== 'permissions'))
}

function by(source: string | undefined): string {
  return source === undefined ? '' : ` (by the ${source})`
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
