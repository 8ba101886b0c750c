import { outputForModel, reportEnvelope } from '../core/report/report-envelope.ts'
import type { ContextMessage } from '../core/build-context.ts'
import type { Usage } from '../core/usage.ts'
import { estimateTokens } from '../core/tokens.ts'
import type { ToolSchema } from '../model/port.ts'

/**
 * Estimates the tokens of a run's next request: the provider's count of the last one with its answer, plus newer
 * content at four characters a token. Looks at each message once, unless earlier ones have changed.
 */
export class InputEstimate {
  readonly #schemaChars: number
  /** Over the counted messages. */
  #chars = 0
  #seen = 0
  #last: ContextMessage | undefined
  /** The provider's count, and the characters that it covers. */
  #counted: { readonly tokens: number; readonly chars: number } | undefined

  constructor(schemas: readonly ToolSchema[]) {
    this.#schemaChars = schemas.reduce((sum, schema) => sum + schemaChars(schema), 0)
  }

  /** From characters alone. */
  byChars(messages: readonly ContextMessage[]): number {
    this.#look(messages)
    return estimateTokens(this.#chars)
  }

  tokens(messages: readonly ContextMessage[]): number {
    this.#look(messages)
    const { tokens, chars } = this.#counted ?? { tokens: 0, chars: -this.#schemaChars }
    return tokens + estimateTokens(Math.max(0, this.#chars - chars))
  }

  /** The answer to these messages has arrived, and follows them if it has content. */
  answered({ input, output }: Usage, messages: readonly ContextMessage[]): void {
    this.#look(messages)
    if (input > 0) this.#counted = { tokens: input + output, chars: this.#chars }
  }

  #look(messages: readonly ContextMessage[]): void {
    if (this.#seen > messages.length || (this.#seen > 0 && messages[this.#seen - 1] !== this.#last)) {
      this.#chars = this.#seen = 0
      this.#counted = undefined
    }
    for (; this.#seen < messages.length; this.#seen++) this.#chars += charsOf(messages[this.#seen]!)
    this.#last = messages.at(-1)
  }
}

const sizesOfSchemas = new WeakMap<ToolSchema, number>()

function schemaChars(schema: ToolSchema): number {
  let size = sizesOfSchemas.get(schema)
  if (size === undefined) sizesOfSchemas.set(schema, (size = JSON.stringify(schema).length))
  return size
}

function charsOf({ parts }: ContextMessage): number {
  return parts.reduce((sum, part) => sum + partChars(part), 0)
}

function partChars(part: ContextMessage['parts'][number]): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text.length
    case 'tool-call':
      return JSON.stringify(part.input).length
    case 'tool-result':
      return outputForModel(part.output).length
    case 'report':
      return reportEnvelope(part.report, part.text).length
    default:
      return 0
  }
}
