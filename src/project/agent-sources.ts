import { relative, sep } from 'node:path'
import { builtinAgents } from '../agents/builtin-agents.ts'
import type { KnownModel } from '../agents/foreign/foreign-model.ts'
import { agentPlaces, userPlaces, type Homes } from '../agents/agent-locations.ts'
import { loadAgents, type InForce, type LoadedAgents } from '../agents/load-agents.ts'
import { agentAliases } from '../core/rules/agent-names.ts'
import type { KnownTools } from '../core/rules/unknown-tool.ts'
import { catalogue, defaultModels, providers, type Provider } from '../model/models-and-prices.ts'
import { endpoint, type ModelConfig } from '../model/endpoints-and-keys.ts'
import { agentNotes } from './agent-notes.ts'
import type { LoadedConfig } from '../config/config-sources.ts'
import { configHome, homeOf, type Env } from '../config/homes.ts'
import type { Config } from '../config/config-schema.ts'
import { foldedName, judgeAgent } from '../trust/agent-requests.ts'
import { sha256, type AskedRequest, type IsGranted } from '../trust/trust-request.ts'

export interface FoundAgents extends LoadedAgents {
  /** Requests of the project's files (docs/trust.md). */
  readonly requests: readonly AskedRequest[]
}

interface FindOptions {
  readonly isGranted?: IsGranted
  /** Tools of the runtime besides the built-in ones and those of these agents. */
  readonly tools?: KnownTools
}

/**
 * Agents from the files of a workspace and its user, including other programs' files. A project's agent applies as far
 * as it only restricts, or `isGranted` grants it.
 */
export async function findAgents(
  project: string,
  env: Env,
  { config, base }: Pick<LoadedConfig, 'config' | 'base'>,
  { isGranted = () => false, tools }: FindOptions = {},
): Promise<FoundAgents> {
  const homes = homesOf(project, env)
  const options = { knownModel: knownModel(env, config), ...(tools ? { tools } : {}) }
  const users = userPlaces(homes)
  const own = new Set(users.map(({ path }) => path))
  const names = (await loadAgents(users, options)).agents.map(({ name }) => name)
  const judge = { base, taken: takenNames(names, base), isGranted, root: project }
  const requests: AskedRequest[] = []
  const inForce: InForce = (agent, { place, file, text }) => {
    if (own.has(place.path)) return { agent, heldBack: [] } // a workspace may be the home directory
    const source = { file: relative(project, file).split(sep).join('/'), sha256: sha256(text) }
    const judged = judgeAgent(agent, source, judge)
    requests.push(...judged.requests)
    const held = judged.requests.filter(({ granted }) => !granted)
    return { agent: judged.agent, heldBack: held.map(({ text }) => `not granted: ${text}`) }
  }
  return { ...(await loadAgents(agentPlaces(homes), { ...options, inForce })), requests }
}

/** Where to look for files of the workspace and its user. */
export function homesOf(project: string, env: Env): Homes {
  return { project, home: homeIn(env), configHome: configHome(env) }
}

/**
 * The meaning of a name without the project. Other names of built-in agents count too: calls meant for those would reach a
 * project's agent with that name. The user's settings for a name do not apply to a project's agent.
 */
function takenNames(users: readonly string[], base: Config): Map<string, string> {
  const configured = [
    ...Object.keys(base.agents),
    ...base.delegations.flatMap((each) => [each.agent, each.for]),
  ]
  return new Map([
    ...configured.map((name) => [foldedName(name), `the agent ${name} of your configuration`] as const),
    ...builtinAgents().flatMap(({ name }) => builtinNames(name)),
    ...users.map((name) => [foldedName(name), `your agent ${name}`] as const),
  ])
}

function builtinNames(name: string): (readonly [folded: string, meant: string])[] {
  const aliases = agentAliases[name] ?? []
  return [
    ...aliases.map(
      (alias) => [foldedName(alias), `the built-in agent ${name} (${alias} means it too)`] as const,
    ),
    [foldedName(name), `the built-in agent ${name}`],
  ]
}

/** Not needed if other variables set every location. */
function homeIn(env: Env): string | null {
  try {
    return homeOf(env)
  } catch {
    return null
  }
}

/** One line each, for places that use agents. */
export function agentWarnings({ notes }: LoadedAgents): string[] {
  const { ours, theirs } = agentNotes(notes)
  return [...ours, ...theirs]
}

/** Models that a file may ask for: from a reachable provider, and without a file or address in the name. */
export function knownModel(env: Env, config?: ModelConfig): KnownModel {
  return (name) => {
    const [provider, ...rest] = name.split('/') as [Provider, ...string[]]
    const model = rest.join('/')
    if (!providers.includes(provider) || !/^[\w.:/@+-]+$/.test(model)) return undefined
    return isReachable(provider, env, config)
      ? (family(provider, model) ?? `${provider}/${model}`)
      : undefined
  }
}

function isReachable(provider: Provider, env: Env, config?: ModelConfig): boolean {
  try {
    return Boolean(endpoint(provider, env, config))
  } catch {
    return false
  }
}

/** `sonnet` is the default model of its kind, or the first in the catalogue. */
function family(provider: Provider, name: string): string | undefined {
  if (provider !== 'anthropic' || !/^[a-z]+$/.test(name)) return undefined
  const { main = '' } = defaultModels[provider] ?? {}
  if (main.split('-').includes(name)) return `${provider}/${main}`
  return Object.keys(catalogue).find((id) => id.startsWith(`${provider}/claude-${name}-`))
}
