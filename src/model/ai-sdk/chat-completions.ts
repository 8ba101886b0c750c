import { OpenAICompatibleChatLanguageModel, VERSION } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
  type SharedV4Warning,
} from '@ai-sdk/provider'
import { postJsonToApi, withUserAgentSuffix, type ResponseHandler } from '@ai-sdk/provider-utils'
import { createParser } from 'eventsource-parser'
import type { Json } from '../../core/json.ts'
import { withChatMarks, type ChatMessage } from '../cache-marks.ts'
import type { HttpBody } from '../http-body.ts'
import { ChatAnswer } from './chat-answer.ts'
import { readChunk, type ChunkSchema } from './chat-chunk.ts'

type Fetch = typeof globalThis.fetch

export interface ChatSettings {
  /** The model family, and the name of its metadata. */
  readonly name: string
  readonly baseURL: string
  readonly apiKey?: string
  readonly fetch: Fetch
}

/** Internals of the package. */
interface Kept {
  readonly chunkSchema: ChunkSchema
  readonly failedResponseHandler: ResponseHandler<APICallError>
}

/**
 * A model of a Chat Completions server: the providers' package, except for decoding answers. The package chains four
 * streams there, which makes a turn about a quarter more expensive (docs/decisions/0020-an-answer-takes-one-stream.md).
 * If the package no longer has the internals used here, it decodes answers itself.
 */
export class ChatModel extends OpenAICompatibleChatLanguageModel {
  readonly #name: string
  readonly #request: { readonly url: string; readonly headers: Record<string, string>; readonly fetch: Fetch }

  constructor(model: string, { name, baseURL, apiKey, fetch }: ChatSettings) {
    const url = `${baseURL}/chat/completions`
    const authorization = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
    const headers = withUserAgentSuffix(authorization, `ai-sdk-openai-compatible/${VERSION}`)
    const provider = `${name}.chat`
    const supports = { includeUsage: true, supportsStructuredOutputs: true }
    super(model, { provider, url: () => url, headers, fetch, ...supports })
    this.#name = name
    this.#request = { url, headers, fetch }
  }

  override async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { chunkSchema, failedResponseHandler } = this as unknown as Partial<Kept>
    if (!chunkSchema?.safeParse || !failedResponseHandler) return super.doStream(options)
    const { body, warnings } = await this.prepareRequest(options)
    const { abortSignal, providerOptions } = options
    const marks = providerOptions?.['offshoot']?.['cacheControl']
    const messages = marks ? withChatMarks(body.messages as ChatMessage[], marks as Json) : body.messages
    const { value: response } = await postJsonToApi<Response>({
      ...this.#request,
      body: { ...body, messages, stream: true, stream_options: { include_usage: true } },
      failedResponseHandler,
      successfulResponseHandler: async ({ response }) => ({ value: response }),
      ...(abortSignal && { abortSignal }),
    })
    const broken = (cause: unknown) => brokenAnswer(cause, this.#request.url, body, response.status)
    return { stream: partsOf(response.body!, { name: this.#name, schema: chunkSchema, warnings, broken }) }
  }
}

function brokenAnswer(
  cause: unknown,
  url: string,
  requestBodyValues: unknown,
  statusCode: number,
): APICallError {
  return new APICallError({ message: 'the answer broke off', cause, url, requestBodyValues, statusCode })
}

interface AboutAnswer {
  /** Of the provider. */
  readonly name: string
  readonly schema: ChunkSchema
  readonly warnings: SharedV4Warning[]
  /** The error of a truncated answer. */
  readonly broken: (cause: unknown) => Error
}

/**
 * Parts of an answer. Everything that arrived together is delivered together, with adjacent text joined; events without
 * a part produce an empty one, so that a waiting reader sees activity. Everything after `[DONE]` is ignored: some
 * servers keep the connection open, others reset it.
 */
function partsOf(
  body: HttpBody,
  { name, schema, warnings, broken }: AboutAnswer,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let parts: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings }]
  let isDone = false
  const add = (part: LanguageModelV4StreamPart) => addPart(parts, part)
  const answer = new ChatAnswer(name, add)
  const end = () => {
    if (isDone) return
    isDone = true
    answer.end()
  }
  const { feed } = createParser({
    onEvent({ data }) {
      if (isDone) return
      if (data === '[DONE]') return end()
      const read = readChunk(data, schema)
      if ('error' in read) add({ type: 'error', error: read.error })
      else answer.push(read.chunk)
      if (parts.length === 0) add({ type: 'response-metadata' })
    },
  })
  /** Whether the answer has ended. */
  const readOn = async (): Promise<boolean> => {
    const read = await reader.read().catch((cause: unknown) => {
      throw broken(cause)
    })
    try {
      if (read.done) {
        feed(LAST_LINE)
        end()
      } else feed(decoder.decode(read.value, { stream: true }))
    } catch (error) {
      add({ type: 'error', error }) // after the parts before it
    }
    return read.done
  }
  return new ReadableStream(
    {
      async pull(controller) {
        let isOver = false
        while (parts.length === 0 && !isOver) isOver = await readOn()
        for (const part of parts) controller.enqueue(part)
        parts = []
        if (isOver) controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** A comment flushes the parser, which holds back a line ending in CR until the next one. */
const LAST_LINE = ':\n'

function addPart(parts: LanguageModelV4StreamPart[], part: LanguageModelV4StreamPart): void {
  const last = parts.at(-1)
  const isMore = (part.type === 'text-delta' || part.type === 'reasoning-delta') && last?.type === part.type
  if (isMore) last.delta += part.delta
  else parts.push(part)
}
