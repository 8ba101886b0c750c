import { errorMessage } from '../core/errors.ts'
import { catalogue, modelInfo, type Provider } from '../model/models-and-prices.ts'
import { free } from '../model/cost-of-usage.ts'
import { endpoint } from '../model/endpoints-and-keys.ts'
import type { Composed } from '../runtime/host/compose.ts'
import { namedModel } from './named-model.ts'

/** A model as shown for selection. */
export interface ListedModel {
  readonly id: string
  readonly provider: string
  readonly label: string
  /** Whether new conversations use it by default. */
  readonly isDefault: boolean
  /** Whether its key is set, or it needs none. */
  readonly usable: boolean
  /** Why it cannot be used, and what to do. */
  readonly note: string | null
  readonly windowTokens: number | null
  /** US dollars per million tokens. */
  readonly price: { readonly input: number; readonly output: number } | null
}

/**
 * Models with a known context window and price, models with a price in the configuration, the offline searcher, and the
 * default model.
 */
export async function listModels(composed: Composed): Promise<ListedModel[]> {
  const chosen = await namedModel(composed).catch(() => undefined)
  const { prices } = composed.loaded.config
  const known = [...Object.keys(prices), ...Object.keys(catalogue)]
  const ids = new Set(['offline', ...(chosen ? [chosen] : []), ...known])
  return [...ids].map((id) => {
    const [provider = id] = id.split(/[/:]/, 1)
    const info = modelInfo(id, prices)
    const price = isLocal(provider) ? free : info.price
    const note = problemOf(provider, composed)
    return {
      id,
      provider,
      label: id,
      isDefault: id === chosen,
      usable: note === null,
      note,
      windowTokens: info.window,
      price: price ? { input: price.input, output: price.output } : null,
    }
  })
}

/** Runs in this process, without a key. */
function isLocal(provider: string): boolean {
  return provider === 'offline' || provider === 'scripted'
}

function problemOf(provider: string, { env, loaded }: Composed): string | null {
  if (isLocal(provider)) return null
  try {
    endpoint(provider as Provider, env, loaded.config)
    return null
  } catch (error) {
    return errorMessage(error)
  }
}
