import { systemClock } from '../../exec/system-clock.ts'
import { chooseModel } from '../../model/choose.ts'
import { firstOllamaModel } from '../../model/discover.ts'
import { createFetch, type Fetch } from '../../model/fetch.ts'
import { createResolver } from '../../model/resolve.ts'
import { endpoint } from '../../model/settings.ts'
import { agentNotes } from '../../runtime/agent-notes.ts'
import { findAgents } from '../../runtime/agent-sources.ts'
import { loadConfig, type Env, type LoadedConfig } from '../../runtime/config.ts'
import type { Config } from '../../runtime/config-schema.ts'
import { knownTools, requireKnown } from '../../runtime/settings/known-tools.ts'
import { chooseSearch } from '../../runtime/search-choice.ts'
import { failed, ok, warning, type Check } from './check.ts'

/** What is configured, who can work, and with which model. */
export async function configChecks(directory: string, env: Env): Promise<readonly Check[]> {
  const { checks, config } = await configuration(directory, env)
  const [agents, models] = await Promise.all([agentFiles(directory, env), modelChecks(config, env)])
  return [...checks, ...agents, keys(env), ...models, ...(config ? [search(config, env)] : [])]
}

async function configuration(directory: string, env: Env): Promise<{ checks: Check[]; config?: Config }> {
  try {
    const loaded = loadConfig(directory, env)
    const found = await findAgents(directory, env)
    requireKnown(loaded.strangers, knownTools({ agents: Object.values(loaded.config.agents), found }))
    const good = ok('configuration', sourcesText(loaded))
    return {
      checks: [good, ...loaded.warnings.map((each) => warning('configuration', each))],
      config: loaded.config,
    }
  } catch (error) {
    return { checks: [failed('configuration', error)] }
  }
}

function sourcesText({ sources }: LoadedConfig): string {
  const found = sources.filter((source) => source.found).map(({ file, name }) => file ?? name)
  const looked = sources.flatMap(({ file }) => file ?? [])
  return found.length > 0 ? found.join(', ') : `defaults; there is no ${looked.join(', no ')}`
}

async function agentFiles(directory: string, env: Env): Promise<Check[]> {
  try {
    const { agents, notes } = await findAgents(directory, env)
    const files = agents.length === 1 ? '1 file' : `${agents.length} files`
    const found = ok(
      'agents',
      `${files} in ${directory} and of the user; offshoot agents check tells of each`,
    )
    const { ours, theirs } = agentNotes(notes)
    return [
      found,
      ...ours.map((note) => warning('agents', note, 'Mend the file or remove it.')),
      ...theirs.map((note) => warning('agents', note, 'offshoot agents check')),
    ]
  } catch (error) {
    return [failed('agents', error)]
  }
}

const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY']

function keys(env: Env): Check {
  const set = KEYS.filter((name) => env[name]?.trim())
  return ok('keys', set.length > 0 ? `${set.join(', ')}: set` : `none is set (${KEYS.join(', ')})`)
}

async function modelChecks(config: Config | undefined, env: Env): Promise<Check[]> {
  if (!config) return [warning('model', 'not looked for: the configuration is wrong')]
  return Promise.all([model(config, env), ollama(config, env)])
}

async function model(config: Config, env: Env): Promise<Check> {
  const local = localOllama()
  const options = { config, env, fetch: local.fetch }
  try {
    const { id, why } = await chooseModel(options)
    await createResolver({ ...options, clock: systemClock })(id)
    return ok('model', why.replace(/^model /, ''))
  } catch (error) {
    if (local.refused()) return ok('model', `the first one that ${local.refused()} lists (it was not asked)`)
    return { ...failed('model', error), code: 'config' } // nobody has typed it just now
  }
}

async function ollama(config: Config, env: Env): Promise<Check> {
  const local = localOllama()
  try {
    const name = await firstOllamaModel(endpoint('ollama', env, config), local.fetch, OLLAMA_MS)
    if (local.refused()) return ok('ollama', `on ${local.refused()}, which was not asked`)
    return ok(
      'ollama',
      name ? `answers, and has ${name}` : 'none answers on this machine, or it has no model',
    )
  } catch (error) {
    return failed('ollama', error)
  }
}

/** Who would be asked; nobody is. */
function search(config: Config, env: Env): Check {
  const { why, broken } = chooseSearch(config, env)
  return broken ? warning('search', why, 'Until then websearch is not offered.') : ok('search', why)
}

const OLLAMA_MS = 500

const THIS_MACHINE = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Asks the Ollama of this machine which models it has, and nothing of anybody else. */
function localOllama(): { readonly fetch: Fetch; refused(): string | undefined } {
  const fetch = createFetch()
  let refused: string | undefined
  return {
    refused: () => refused,
    fetch: (input, init) => {
      const { hostname, pathname, host } = new URL(input instanceof Request ? input.url : input)
      if (THIS_MACHINE.has(hostname) && pathname.endsWith('/api/tags')) return fetch(input, init)
      refused ??= host
      return Promise.reject(new TypeError('fetch failed', { cause: new Error(`${host} is not asked`) }))
    },
  }
}
