import type { Clock } from '../core/clock.ts'
import { OffshootError } from '../core/errors.ts'
import { loadProvider } from './ai-sdk/providers.ts'
import { catalogue, defaultModels, modelInfo, providers, type Provider } from './models-and-prices.ts'
import { firstCompatibleModel, firstOllamaModel } from './discover.ts'
import type { Fetch } from './fetch.ts'
import { createModel } from './language-model.ts'
import type { Model, ResolveModel } from './port.ts'
import { free } from './cost-of-usage.ts'
import { similarModels } from './similar-models.ts'
import { scriptPath } from './script-path.ts'
import { endpoint, type Endpoint, type Env, type ModelConfig } from './endpoints-and-keys.ts'

export interface ResolverOptions {
  readonly env: Env
  readonly fetch: Fetch
  readonly clock: Clock
  readonly config?: ModelConfig | undefined
  /** Base of a script's relative path. Default: the process's current directory. */
  readonly directory?: string
  /** Required SHA-256 of scripts, by model id; null: no content is allowed. */
  readonly scripts?: ReadonlyMap<string, string | null>
}

const OLLAMA_TIMEOUT_MS = 5_000

/**
 * Finds models by id: `provider/model`, a provider alone (its default model), `offline`, `scripted:FILE`. Each id is
 * one model while the resolver lives, so that children share connections and a script's answers. @throws OffshootError
 * `usage` (unknown or malformed id), `key`, `config` (base URL, script).
 */
export function createResolver(options: ResolverOptions): ResolveModel {
  const known = new Map<string, Promise<Model>>()
  return (id) => {
    const found = known.get(id) ?? resolve(id, options)
    known.set(id, found)
    found.catch(() => known.delete(id))
    return found
  }
}

async function resolve(id: string, options: ResolverOptions): Promise<Model> {
  if (id === 'offline') return offline(options)
  if (id.startsWith('scripted:')) return scripted(id, options)
  const slash = id.indexOf('/')
  const provider = slash < 0 ? id : id.slice(0, slash)
  const name = slash < 0 ? undefined : id.slice(slash + 1)
  if (!isProvider(provider)) throw unknown(id, options.config?.prices)
  if (name !== undefined && !/^[^\s\p{Cc}]+$/u.test(name)) throw malformed(id, provider)
  const { env, fetch, clock, config } = options
  const place = endpoint(provider, env, config)
  const model = name ?? (await defaultModel(provider, place, fetch))
  const create = await loadProvider(provider, { ...place, fetch })
  return createModel(create(model), modelInfo(`${provider}/${model}`, config?.prices), {
    secrets: place.key === undefined ? [] : [place.key],
    now: () => clock.now(),
  })
}

async function defaultModel(provider: Provider, place: Endpoint, fetch: Fetch): Promise<string> {
  const listed = defaultModels[provider]
  if (listed) return listed.main
  if (provider === 'openai-compatible') return firstCompatibleModel(place, fetch)
  const model = await firstOllamaModel(place, fetch, OLLAMA_TIMEOUT_MS)
  if (model) return model
  throw new OffshootError(
    'config',
    `no Ollama with a model responds at ${place.baseUrl?.replace(/\/v1$/, '')}`,
    {
      hint: 'Start it with `ollama serve`, pull a model, or set OLLAMA_HOST.',
    },
  )
}

async function offline({ clock }: ResolverOptions): Promise<Model> {
  const { createOfflineModel } = await import('./offline/offline-model.ts')
  const label = 'offline (a rule-based search, not a language model)'
  const info = { ...modelInfo('offline'), label, price: free, fixed: true }
  return createModel(createOfflineModel(), info, { now: () => clock.now() })
}

async function scripted(id: string, options: ResolverOptions): Promise<Model> {
  const { clock, directory = '.', scripts } = options
  const file = scriptPath(id, directory)
  if (file === undefined)
    throw new OffshootError('usage', 'scripted: needs the path of a script: -m scripted:FILE')
  const info = {
    ...modelInfo(id),
    provider: 'scripted',
    label: `${id} (prepared answers, not a language model)`,
    price: free,
  }
  // irrelevant to people
  const [{ readScript }, { createScriptedModel }] = await Promise.all([
    import('./model-script.ts'),
    import('./scripted-model.ts'),
  ])
  return createModel(createScriptedModel(await readScript(file, scripts?.get(id)), { clock, id }), info, {
    now: () => clock.now(),
  })
}

function isProvider(name: string): name is Provider {
  return (providers as readonly string[]).includes(name)
}

function unknown(id: string, prices: ModelConfig['prices'] = {}): OffshootError {
  const similar = similarModels(id, [...new Set([...Object.keys(catalogue), ...Object.keys(prices)])])
  const [, provider] = /^([^/]+)\//.exec(id) ?? []
  const problem = provider
    ? `There is no provider ${JSON.stringify(provider)}.`
    : 'Write the provider too, as in anthropic/MODEL.'
  const form = `${problem} Providers: ${providers.join(', ')}.`
  return new OffshootError(
    'usage',
    `unknown model ${JSON.stringify(id)}: a model is PROVIDER/MODEL, offline, or scripted:FILE`,
    { hint: similar.length > 0 ? `Did you mean ${similar.join(' or ')}?` : form },
  )
}

function malformed(id: string, provider: Provider): OffshootError {
  return new OffshootError(
    'usage',
    `malformed model ${JSON.stringify(id)}: add the name of a model after ${provider}/`,
  )
}
