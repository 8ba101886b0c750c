import { systemClock } from '../../exec/system-clock.ts'
import { chooseModel } from '../../model/choose.ts'
import { firstOllamaModel } from '../../model/discover.ts'
import { createFetch, type Fetch } from '../../model/fetch.ts'
import { createResolver } from '../../model/resolve.ts'
import { endpoint } from '../../model/endpoints-and-keys.ts'
import { agentNotes } from '../../project/agent-notes.ts'
import type { LoadedConfig } from '../../config/config-sources.ts'
import type { Env } from '../../config/homes.ts'
import type { Config } from '../../config/config-schema.ts'
import { chooseSearch } from '../../runtime/host/choose-search-provider.ts'
import { loadProject, trustWarnings, type Project } from '../../project/project.ts'
import { countText } from '../../trust/request-text.ts'
import { sandboxInForce, sandboxText, whyNone } from '../../project/sandbox-in-force.ts'
import { failed, ok, problem, warning, type Check } from './check.ts'

/** What is configured, who can work, and with which model. */
export async function configChecks(directory: string, env: Env): Promise<readonly Check[]> {
  try {
    const project = await loadProject(directory, env)
    const { loaded } = project
    const found = ok('configuration', sourcesText(loaded))
    return [
      found,
      await sandbox(directory, loaded.config, env),
      ...loaded.warnings.map((each) => warning('configuration', each)),
      trustCheck(project),
      ...agentFiles(directory, project),
      keys(env),
      ...(await modelChecks(directory, loaded.config, env)),
      search(loaded.config, env),
    ]
  } catch (error) {
    return [
      failed('configuration', error),
      await sandbox(directory, undefined, env),
      keys(env),
      ...(await modelChecks(directory, undefined, env)),
    ]
  }
}

const IT_TAKES = 'docs/sandbox.md lists the requirements.'

async function sandbox(directory: string, config: Config | undefined, env: Env): Promise<Check> {
  const run = { directories: [directory], ownDirectories: [], env } as const
  const looked = await sandboxInForce(config?.sandbox.mode ?? 'off', run)
  const why = whyNone(looked)
  const { setting, found } = looked
  if (why === undefined) return ok('sandbox', `${sandboxText(looked)} confines the commands of agents`)
  if (setting === 'required')
    return problem('sandbox', `required, but not available: ${why}`, IT_TAKES, 'config')
  return warning(
    'sandbox',
    `not in use: ${why}; commands run with your rights, limited only by permission rules`,
    found.kind === 'none' ? IT_TAKES : 'Set "sandbox": "auto" to use it; docs/sandbox.md describes it.',
  )
}

function trustCheck({ trust }: Project): Check {
  const [held] = trustWarnings(trust)
  if (held !== undefined) return warning('trust', held, `offshoot trust ${trust.directory}`)
  const { length } = trust.requests
  if (length === 0) return ok('trust', 'the files of this directory request nothing that needs a grant')
  return ok('trust', `you have granted ${countText(length)} of the files of this directory`)
}

function sourcesText({ sources }: LoadedConfig): string {
  const found = sources.filter((source) => source.found).map(({ file, name }) => file ?? name)
  const looked = sources.flatMap(({ file }) => file ?? [])
  return found.length > 0 ? found.join(', ') : `defaults; not found: ${looked.join(', ')}`
}

function agentFiles(directory: string, { found: { agents, notes } }: Project): Check[] {
  const files = agents.length === 1 ? '1 file' : `${agents.length} files`
  const found = ok(
    'agents',
    `${files} in ${directory} and the directories of the user; offshoot agents check lists them`,
  )
  const { ours, theirs } = agentNotes(notes)
  return [
    found,
    ...ours.map((note) => warning('agents', note, 'Fix the file or remove it.')),
    ...theirs.map((note) => warning('agents', note, 'offshoot agents check')),
  ]
}

const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY']

function keys(env: Env): Check {
  const set = KEYS.filter((name) => env[name]?.trim())
  return ok('keys', set.length > 0 ? `${set.join(', ')}: set` : `none is set (${KEYS.join(', ')})`)
}

async function modelChecks(directory: string, config: Config | undefined, env: Env): Promise<Check[]> {
  if (!config) return [warning('model', 'not looked for: the configuration is wrong')]
  return Promise.all([model(directory, config, env), ollama(config, env)])
}

async function model(directory: string, config: Config, env: Env): Promise<Check> {
  const local = localOllama()
  const options = { config, env, fetch: local.fetch }
  try {
    const { id, why } = await chooseModel(options)
    await createResolver({ ...options, directory, clock: systemClock })(id)
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
