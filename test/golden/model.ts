import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Clock } from '../../src/index.ts'
import { SLOW } from './scenarios/words.ts'

interface ModelOptions {
  readonly clock: Clock
  /** Under which id it is known, with the price and the window of that. */
  readonly as?: string | undefined
}

/**
 * A model whose calls name the subagents that it was told of: `TASK1` is the first task_id in its prompt. After each
 * piece of text that ends with `SLOW` it takes a second.
 */
export function stagedModel(model: LanguageModelV4, { clock, as }: ModelOptions): LanguageModelV4 {
  const [provider, modelId] = (as ?? `${model.provider}/${model.modelId}`).split('/') as [string, string]
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    supportedUrls: {},
    doGenerate: (options) => model.doGenerate(options),
    async doStream(options) {
      const { stream, ...rest } = await model.doStream(options)
      const ids = [...new Set(JSON.stringify(options.prompt).match(/\bbrn_[0-9A-Z]{26}\b/g))]
      const named = (text: string) =>
        text.replaceAll(/\bTASK(\d)\b/g, (_, n: string) => ids[Number(n) - 1] ?? `TASK${n}`)
      let told = ''
      const staged = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        async transform(part, out) {
          if (part.type === 'tool-input-delta') return out.enqueue({ ...part, delta: named(part.delta) })
          if (part.type === 'tool-call') return out.enqueue({ ...part, input: named(part.input) })
          out.enqueue(part)
          if (part.type !== 'text-delta') return
          const before = told.split(SLOW).length
          told += part.delta
          if (told.split(SLOW).length > before)
            await new Promise<void>((done) => void clock.after(1_000, done))
        },
      })
      return { ...rest, stream: stream.pipeThrough(staged) }
    },
  }
}
