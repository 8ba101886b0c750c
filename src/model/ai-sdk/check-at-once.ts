import type { LanguageModelV4 } from '@ai-sdk/provider'

/**
 * The package for OpenAI-compatible servers checks each event of an answer as if its schema could wait for something,
 * which costs more than all else that is done for the event. Here the same schema gives its verdict at once. Where a
 * model has no such schema, it is left as it is.
 */
export function checkAtOnce(model: LanguageModelV4): LanguageModelV4 {
  const owner = model as { chunkSchema?: unknown }
  const schema = owner.chunkSchema
  if (!isSchema(schema)) return model
  const validate = (value: unknown): Verdict => {
    const { success, data, error } = schema.safeParse(value)
    return success ? { success, value: data } : { success, error }
  }
  owner.chunkSchema = () => ({ validate })
  return model
}

/** What is used of a zod schema. */
interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown; readonly error?: unknown }
}

/** As the packages' own schemas answer. */
type Verdict =
  | { readonly success: boolean; readonly value: unknown }
  | { readonly success: boolean; readonly error: unknown }

function isSchema(schema: unknown): schema is Schema {
  return typeof schema === 'object' && schema !== null && 'safeParse' in schema
}
