import type { MessageId, NewId, PartId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { Part, ProviderMetadata, ReasoningPart, TextPart } from '../core/message.ts'
import { ProviderError } from '../core/errors.ts'
import type { ModelPart, ModelUsage } from '../model/port.ts'
import type { LiveEvent } from './ports.ts'

type OpenPart = { -readonly [K in keyof (TextPart | ReasoningPart)]: (TextPart | ReasoningPart)[K] }

/** Builds the parts of one answer out of the pieces of a stream, and says what is new in each. */
export class AnswerReader {
  readonly messageId: MessageId
  readonly parts: Part[] = []
  usage: ModelUsage | undefined
  /** The provider's reason; undefined until the end came. */
  finish: string | undefined
  #open = new Map<string, OpenPart>()
  #newId: NewId

  constructor(messageId: MessageId, newId: NewId) {
    this.messageId = messageId
    this.#newId = newId
  }

  /** Takes one piece. @throws ProviderError for an `error` piece. */
  *take(piece: ModelPart): Generator<LiveEvent> {
    switch (piece.type) {
      case 'text-start':
        yield this.#start('text', piece.id, piece.providerMetadata)
        return
      case 'reasoning-start':
        yield this.#start('reasoning', piece.id, piece.providerMetadata)
        return
      case 'text-delta':
      case 'reasoning-delta':
        if (piece.providerMetadata) this.#annotate(piece.id, piece.providerMetadata)
        if (piece.delta !== '')
          yield* this.#grow(piece.type === 'text-delta' ? 'text' : 'reasoning', piece.id, piece.delta)
        return
      case 'text-end':
      case 'reasoning-end':
        this.#annotate(piece.id, piece.providerMetadata)
        this.#open.delete(piece.id)
        return
      case 'tool-call':
        yield this.#call(piece.toolName, piece.input, piece.providerMetadata)
        return
      case 'finish':
        this.usage = piece.usage
        this.finish = piece.finishReason.unified
        return
      case 'error':
        throw piece.error instanceof Error
          ? piece.error
          : new ProviderError(String(piece.error), { retryable: false })
      default: // stream-start, response-metadata, tool-input-*, sources, raw, pings: nothing that is kept
    }
  }

  #start(kind: 'text' | 'reasoning', streamId: string, metadata: unknown): LiveEvent {
    const part: OpenPart = { id: this.#newId('prt'), type: kind, text: '' }
    this.#open.set(streamId, part)
    this.parts.push(part)
    this.#annotate(streamId, metadata)
    return { type: 'part.started', messageId: this.messageId, partId: part.id, kind }
  }

  /** A delta without its start is kept all the same: some servers leave it out. */
  *#grow(kind: 'text' | 'reasoning', streamId: string, text: string): Generator<LiveEvent> {
    if (!this.#open.has(streamId)) yield this.#start(kind, streamId, undefined)
    const part = this.#open.get(streamId)!
    part.text += text
    yield { type: 'part.delta', messageId: this.messageId, partId: part.id, kind, text }
  }

  #annotate(streamId: string, metadata: unknown): void {
    const part = this.#open.get(streamId)
    if (part && metadata) part.metadata = { ...part.metadata, ...(metadata as ProviderMetadata) }
  }

  #call(tool: string, input: string, metadata: unknown): LiveEvent {
    const id: PartId = this.#newId('prt')
    const more = metadata ? { metadata: metadata as ProviderMetadata } : {}
    this.parts.push({
      id,
      type: 'tool-call',
      callId: this.#newId('cal'),
      tool,
      ...parseArguments(input),
      ...more,
    })
    return { type: 'part.started', messageId: this.messageId, partId: id, kind: 'tool-call' }
  }
}

/** Arguments as the model sent them: an object, or the text that is none, so that the model can be told. */
function parseArguments(text: string): { input: Json; invalid?: string } {
  if (text.trim() === '') return { input: {} }
  try {
    const input = JSON.parse(text) as Json
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { input }
  } catch {
    // falls through: what is not JSON is handed on as text
  }
  return { input: {}, invalid: text }
}
