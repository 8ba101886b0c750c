import type { MessageId, NewId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import {
  textOf,
  type Part,
  type ProviderMetadata,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
} from '../core/message.ts'
import { errorMessage, ProviderError } from '../core/errors.ts'
import { bounds } from '../core/limits.ts'
import { noUsage, type Usage } from '../core/usage.ts'
import { answerEnd, type AnswerEnd } from '../model/answer-end.ts'
import type { ModelPart } from '../model/port.ts'
import { toUsage } from '../model/provider-usage.ts'
import type { Emit } from './ports.ts'

type OpenPart = { -readonly [K in keyof (TextPart | ReasoningPart)]: (TextPart | ReasoningPart)[K] }

export interface ReaderOptions {
  readonly messageId: MessageId
  readonly newId: NewId
  /** Whether to keep calls in the answer; otherwise nobody runs them. */
  readonly takesCalls: boolean
  readonly emit: Emit
  /** The inner calls of one call. Default: itself. */
  readonly expand?: (call: ToolCallPart) => readonly ToolCallPart[]
}

/** Builds the parts of one answer from the pieces of a stream, and reports what is new in each. */
export class AnswerReader {
  readonly messageId: MessageId
  readonly parts: Part[] = []
  usage: Usage = noUsage
  /** undefined until the end. */
  end: AnswerEnd | undefined
  #open = new Map<string, OpenPart>()
  #newId: NewId
  #emit: Emit
  #takesCalls: boolean
  #expand: (call: ToolCallPart) => readonly ToolCallPart[]

  constructor({ messageId, newId, takesCalls, emit, expand = (call) => [call] }: ReaderOptions) {
    this.messageId = messageId
    this.#newId = newId
    this.#emit = emit
    this.#takesCalls = takesCalls
    this.#expand = expand
  }

  /** Consumes one piece. @throws ProviderError for an `error` piece, and for an invalid one. */
  push(piece: ModelPart): void {
    switch (piece?.type) {
      case 'text-start':
        this.#start('text', piece.id, piece.providerMetadata)
        return
      case 'reasoning-start':
        this.#start('reasoning', piece.id, piece.providerMetadata)
        return
      case 'text-delta':
      case 'reasoning-delta':
        if (piece.providerMetadata) this.#annotate(piece.id, piece.providerMetadata)
        if (textIn(piece.delta) !== '')
          this.#grow(piece.type === 'text-delta' ? 'text' : 'reasoning', piece.id, piece.delta)
        return
      case 'text-end':
      case 'reasoning-end':
        this.#annotate(piece.id, piece.providerMetadata)
        this.#open.delete(piece.id)
        return
      case 'tool-call':
        if (this.#takesCalls) this.#call(textIn(piece.toolName), textIn(piece.input), piece.providerMetadata)
        return
      case 'finish':
        this.usage = toUsage(piece.usage)
        this.end = answerEnd(piece, textOf(this.parts))
        return
      case 'error':
        throw piece.error instanceof Error
          ? piece.error
          : new ProviderError(errorMessage(piece.error), { retryable: false })
      default: // stream-start, response-metadata, tool-input-*, sources, raw, pings: nothing to keep
    }
  }

  #start(kind: 'text' | 'reasoning', streamId: string, metadata: unknown): void {
    const part: OpenPart = { id: this.#newId('prt'), type: kind, text: '' }
    this.#open.set(streamId, part)
    this.parts.push(part)
    this.#annotate(streamId, metadata)
    this.#emit({ type: 'part.started', messageId: this.messageId, partId: part.id, kind })
  }

  /** Accepts a delta without its start, which some servers omit. */
  #grow(kind: 'text' | 'reasoning', streamId: string, text: string): void {
    if (!this.#open.has(streamId)) this.#start(kind, streamId, undefined)
    const part = this.#open.get(streamId)!
    const offset = part.text.length
    part.text += text
    this.#emit({ type: 'part.delta', messageId: this.messageId, partId: part.id, kind, text, offset })
  }

  #annotate(streamId: string, metadata: unknown): void {
    const part = this.#open.get(streamId)
    if (part && metadata) part.metadata = { ...part.metadata, ...(metadata as ProviderMetadata) }
  }

  #call(tool: string, input: string, metadata: unknown): void {
    const more = metadata ? { metadata: metadata as ProviderMetadata } : {}
    const call: ToolCallPart = {
      id: this.#newId('prt'),
      type: 'tool-call',
      callId: this.#newId('cal'),
      tool: tool.slice(0, MAX_NAME_CHARS),
      ...parseArguments(input),
      ...more,
    }
    for (const part of this.#expand(call)) {
      this.parts.push(part)
      this.#emit({ type: 'part.started', messageId: this.messageId, partId: part.id, kind: 'tool-call' })
    }
  }
}

/** No tool has a longer name; an invented one would be repeated in every later request. */
const MAX_NAME_CHARS = 200

function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  throw new ProviderError(`the model sent ${typeof value} where text belongs`, { retryable: false })
}

/**
 * The arguments: an object, or the invalid text for the error message. The same for arguments too large or too deep for
 * an object.
 */
function parseArguments(text: string): { input: Json; invalid?: string } {
  if (text.trim() === '') return { input: {} }
  if (text.length > bounds.toolInputChars) return { input: {}, invalid: text }
  try {
    const input = JSON.parse(text) as Json
    if (typeof input === 'object' && input !== null && !Array.isArray(input) && !isTooDeep(input))
      return { input }
  } catch {
    // falls through: invalid JSON is passed on as text
  }
  return { input: {}, invalid: text }
}

const MAX_DEPTH = 200

/** Deeper nesting than any tool needs overflows the stack of its readers. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth >= MAX_DEPTH || Object.values(value).some((inner) => isTooDeep(inner, depth + 1))
}
