import type { LanguageModelV4 } from '@ai-sdk/provider'
import { OffshootError } from '../core/errors.ts'
import { modelInfo } from './models-and-prices.ts'
import { createModel } from './language-model.ts'
import type { Model, Price, ResolveModel } from './port.ts'
import { createResolver, type ResolverOptions } from './resolve.ts'
import { free } from './cost-of-usage.ts'

/** A model of the AI SDK's provider interface: what any of its provider packages makes. */
export type OwnModel = LanguageModelV4

/** Models that a program made itself, by the ids under which runs keep them. */
export class OwnModels {
  readonly #byId = new Map<string, { readonly from: OwnModel; readonly name: string; model?: Model }>()

  /**
   * The id of a model: `provider/model` as it says it of itself, which also finds its price; of two with one id the
   * second gets a number. @throws OffshootError `usage` for anything that is no language model of specification v4.
   */
  idOf(model: unknown): string {
    const from = checked(model)
    const name = `${from.provider.split('.')[0]}/${from.modelId}`
    for (let n = 1; ; n++) {
      const id = n === 1 ? name : `${name}#${n}`
      const known = this.#byId.get(id)
      if (known && known.from !== from) continue
      if (!known) this.#byId.set(id, { from, name })
      return id
    }
  }

  /** Finds these first. */
  resolver(options: ResolverOptions): ResolveModel {
    const resolve = createResolver(options)
    const prices = options.config?.prices
    return async (id) => {
      const own = this.#byId.get(id)
      return own ? (own.model ??= asModel(own.from, id, { name: own.name, prices })) : await resolve(id)
    }
  }

  /** A program's own model has no smaller one that it did not bring itself. */
  small(id: string): string | undefined {
    return this.#byId.has(id) ? id : undefined
  }
}

/** They cost nothing and say so, and their answers are prepared. */
const LOCAL: ReadonlySet<string> = new Set(['scripted', 'offline'])

type Prices = Readonly<Record<string, Price>>

/** Of two with one name, each can have a price of its own. */
function asModel(
  from: OwnModel,
  id: string,
  { name, prices = {} }: { readonly name: string; readonly prices?: Prices | undefined },
): Model {
  const known = modelInfo(name, prices)
  const configured = prices[id] ?? prices[name]
  const price = configured ?? (LOCAL.has(known.provider) ? free : known.price)
  return createModel(from, { ...known, id, label: id, price })
}

function checked(value: unknown): OwnModel {
  const model = Object(value) as Partial<OwnModel>
  const isModel = typeof model.doStream === 'function' && isText(model.provider) && isText(model.modelId)
  if (isModel && model.specificationVersion === 'v4') return named(model as OwnModel)
  const what = isModel
    ? `a model of specification ${String(model.specificationVersion)}`
    : 'not a language model of the AI SDK'
  throw new OffshootError('usage', `this is ${what}; a model of specification v4 is needed`, {
    hint: 'Pass "provider/model", or a model from an AI SDK provider package: anthropic("claude-sonnet-5").',
  })
}

const MAX_NAME = 200

/** The id stands in rows, events and on terminals. */
function named(model: OwnModel): OwnModel {
  for (const name of [model.provider, model.modelId]) {
    if (name.length > MAX_NAME || !/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*$/u.test(name))
      throw new OffshootError(
        'usage',
        `a model cannot be called ${JSON.stringify(name.slice(0, 60))}: provider and modelId have at most ${MAX_NAME} characters, and no control characters`,
      )
  }
  return model
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
