import type { AgentDefinition, NarrowedBy, Rule } from '../core/agent.ts'
import { OffshootError } from '../core/errors.ts'
import { nearestName } from '../core/nearest-name.ts'
import { toolSpelled } from '../core/rules/tool-names.ts'
import { createAgentRegistry, type AgentRegistry } from '../agents/registry.ts'
import { readDocument } from './config-file.ts'
import type { AgentSettings } from './read-agent-settings.ts'
import { readSource } from './read-source.ts'
import { reminderProblem } from '../agents/reminder-problem.ts'
import { idleOfAgent, type IdleSetting } from '../core/idle-setting.ts'

export interface ConfiguredAgents {
  readonly agents: AgentRegistry
  /** A sentence for each configured agent that does not exist. */
  readonly warnings: readonly string[]
}

interface Source {
  readonly name: string
  /** null: not a file. */
  readonly file: string | null
  readonly values: Readonly<Record<string, unknown>>
}
/** One source's settings of one agent. */
type Part = readonly [Source, AgentSettings]

/**
 * Applies the configuration to the agents, and adds the agents that it defines. @throws OffshootError `config` for
 * settings of a probably misspelled agent, and for one without an effect.
 */
export function configuredAgents(
  given: readonly AgentDefinition[],
  sources: readonly Source[],
): ConfiguredAgents {
  const byName = new Map(
    createAgentRegistry(given)
      .list()
      .map((agent) => [agent.name, agent]),
  )
  const found = [...byName.keys()]
  const warnings: string[] = []
  for (const [name, parts] of partsByName(sources)) {
    const base = byName.get(name) ?? newAgent(name, parts)
    if (base) byName.set(name, checked(configured(base, parts), parts))
    else warnings.push(unknownAgent(name, found, parts))
  }
  return { agents: createAgentRegistry([...byName.values()]), warnings }
}

/** Applies the configuration to one agent. */
export function configuredAgent(agent: AgentDefinition, sources: readonly Source[]): AgentDefinition {
  const parts = partsByName(sources).get(agent.name) ?? []
  return checked(configured(agent, parts), parts)
}

/** Refuses settings that have no effect. */
function checked(agent: AgentDefinition, parts: readonly Part[]): AgentDefinition {
  const problem = reminderProblem(agent)
  if (problem) refuse(agent.name, parts, { name: 'firstTurnReminder', why: problem })
  const idle = idleOfAgent(agent)
  if (idle) refuse(agent.name, parts, idle)
  return agent
}

/** Empty if something other than a configuration source sets it. */
function refuse(agent: string, parts: readonly Part[], { name, why }: IdleField): void {
  const part = parts.findLast(([, settings]) => settings[name] !== undefined)
  if (!part) return
  const { file, name: source } = part[0]
  const path = ['agents', agent, name]
  const where = file === null ? source : readDocument(readSource(file).text, file).where(path)
  throw new OffshootError('config', `${where}: ${path.join('.')}: ${why}`)
}

interface IdleField {
  readonly name: IdleSetting['name'] | 'firstTurnReminder'
  readonly why: string
}

function partsByName(sources: readonly Source[]): ReadonlyMap<string, readonly Part[]> {
  const all = sources.flatMap((source) =>
    Object.entries((source.values['agents'] ?? {}) as Record<string, AgentSettings>).map(
      ([name, settings]) => ({ name, part: [source, settings] as const }),
    ),
  )
  return new Map(
    [...Map.groupBy(all, ({ name }) => name)].map(([name, each]) => [name, each.map(({ part }) => part)]),
  )
}

function newAgent(name: string, parts: readonly Part[]): AgentDefinition | undefined {
  const described = parts.findLast(([, { description }]) => description !== undefined)
  const prompted = parts.findLast(([, { prompt }]) => prompt !== undefined)
  if (!described || !prompted) return undefined
  const [{ file, name: source }] = described
  return {
    name,
    description: described[1].description!,
    prompt: prompted[1].prompt!,
    source: file === null ? source : `${file}#agents.${name}`,
  }
}

function unknownAgent(name: string, known: readonly string[], [part]: readonly Part[]): string {
  const where = `${part![0].file ?? part![0].name}: agents.${name.slice(0, 64)}`
  const near = nearestName(name, known)
  const sentence = `${where}: there is no agent with that name`
  if (near)
    throw new OffshootError('config', `${sentence}; did you mean "${near}"?`, {
      hint: 'a new agent needs "description" and "prompt"',
    })
  return `${sentence} here, so this has no effect; a new agent needs "description" and "prompt"`
}

/**
 * Later sources override earlier ones, field by field. Restrictions add up: each source's rules form a separate list
 * besides the definition's, and the strictest of all lists decides; the same holds for tool lists, except that the last
 * one replaces the definition's.
 */
function configured(agent: AgentDefinition, parts: readonly Part[]): AgentDefinition {
  let result = agent
  let toolsOf: { readonly source: string; readonly tools: readonly string[] } | undefined
  for (const [{ name: source }, settings] of parts) {
    const { permissions, disallowedTools, mode, ...fields } = settings
    const narrowed: NarrowedBy[] = [...(result.narrowed ?? [])]
    if (permissions) narrowed.push({ source, rules: permissions })
    if (settings.tools && toolsOf) narrowed.push({ source: toolsOf.source, rules: nothingBut(toolsOf.tools) })
    if (settings.tools) toolsOf = { source, tools: settings.tools }
    const unwanted = [...new Set([...(result.disallowedTools ?? []), ...(disallowedTools ?? [])])]
    const strictest = mode === 'plan' || result.mode === 'plan' ? 'plan' : (mode ?? result.mode)
    result = {
      ...result,
      ...fields,
      ...(unwanted.length > 0 ? { disallowedTools: unwanted } : {}),
      ...(strictest ? { mode: strictest } : {}),
      ...(narrowed.length > 0 ? { narrowed } : {}),
    }
  }
  return result
}

function nothingBut(tools: readonly string[]): Rule[] {
  return [
    { tool: '*', action: 'deny' },
    ...tools.map((name): Rule => ({ tool: toolSpelled(name) ?? name, action: 'allow' })),
  ]
}
