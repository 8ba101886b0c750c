import type { LanguageModelV4 } from '@ai-sdk/provider'
import { OffshootError } from '../core/errors.ts'
import { modelInfo } from './models-and-prices.ts'
import { createModel } from './language-model.ts'
import type { Model, Price, ResolveModel } from './port.ts'
import { createResolver, type ResolverOptions } from './resolve.ts'
import { free } from './cost-of-usage.ts'

/** A model of the AI SDK's provider interface, as its provider packages create. */
export type OwnModel = LanguageModelV4

/** Models created by a program, by the ids stored with runs. */
export class OwnModels {
  readonly #byId = new Map<string, { readonly from: OwnModel; readonly name: string; model?: Model }>()

  /**
   * The id of a model: its own `provider/model`, which also finds its price; a second model with the same id gets a
   * number. @throws OffshootError `usage` for anything that is not a language model of specification v4.
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

  /** Looks these up first. */
  resolver(options: ResolverOptions): ResolveModel {
    const resolve = createResolver(options)
    const prices = options.config?.prices
    return async (id) => {
      const own = this.#byId.get(id)
      return own ? (own.model ??= asModel(own.from, id, { name: own.name, prices })) : await resolve(id)
    }
  }

  /** A program's model has no smaller one, unless the program brought it. */
  small(id: string): string | undefined {
    return this.#byId.has(id) ? id : undefined
  }
}

/** Scripted models are free, and their answers are prepared. */
const LOCAL: ReadonlySet<string> = new Set(['scripted', 'offline'])

type Prices = Readonly<Record<string, Price>>

/** Each of several models with one name can have its own price. */
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

/** The id appears in rows, events and on terminals. */
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
