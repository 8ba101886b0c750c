import type { KnownModel } from '../agents/foreign/foreign-model.ts'
import { agentPlaces } from '../agents/foreign/places.ts'
import { loadAgents, type LoadedAgents } from '../agents/load.ts'
import type { KnownTools } from '../core/rules/known-tools.ts'
import { catalogue, defaultModels, providers, type Provider } from '../model/catalogue.ts'
import { endpoint, type ModelConfig } from '../model/settings.ts'
import { agentNotes } from './agent-notes.ts'
import { configHome, homeOf, type Env } from './config.ts'

/** The agents in the files of a workspace and of its user, those that other programs read included. */
export function findAgents(
  project: string,
  env: Env,
  config?: ModelConfig,
  tools?: KnownTools,
): Promise<LoadedAgents> {
  const places = agentPlaces({ project, home: homeIn(env), configHome: configHome(env) })
  return loadAgents(places, { knownModel: knownModel(env, config), ...(tools ? { tools } : {}) })
}

/** Where everything has a place of its own by other variables there need be none. */
function homeIn(env: Env): string | null {
  try {
    return homeOf(env)
  } catch {
    return null
  }
}

/** A line each, for where agents are used. */
export function agentWarnings({ notes }: LoadedAgents): string[] {
  const { ours, theirs } = agentNotes(notes)
  return [...ours, ...theirs]
}

/** Models that a file may ask for: of a provider that can be reached, and none that names a file or a place. */
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

/** `sonnet` is the default one of its kind, or the first in the catalogue. */
function family(provider: Provider, name: string): string | undefined {
  if (provider !== 'anthropic' || !/^[a-z]+$/.test(name)) return undefined
  const { main = '' } = defaultModels[provider] ?? {}
  if (main.split('-').includes(name)) return `${provider}/${main}`
  return Object.keys(catalogue).find((id) => id.startsWith(`${provider}/claude-${name}-`))
}
