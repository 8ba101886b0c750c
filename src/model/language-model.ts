import type { LanguageModelV4, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { OffshootError } from '../core/errors.ts'
import { bestEffort } from '../core/rejections.ts'
import { isBrokenOff } from './answer-end.ts'
import { answerFormat } from './answer-format.ts'
import { countAnswer } from './answer-size.ts'
import { isClaude } from './cache-marks.ts'
import { callOptions } from './call-options.ts'
import { fileReading, noFiles } from './file-reading.ts'
import type { Model, ModelInfo, ModelPart, ModelRead, ModelReader, ToolSchema } from './port.ts'
import { createToPrompt } from './provider-prompt.ts'
import { cutError, toProviderError, type ErrorSource } from './provider-error.ts'
import { startWithWishes, type Wishes } from './request-wishes.ts'

export interface ModelOptions {
  /** Keys and tokens that error messages must not contain. */
  readonly secrets?: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/**
 * A model of the AI SDK's provider interface (specification v4) for the loop. A failure before the first part rejects
 * `stream` with a ProviderError; a later one is an `error` part with a ProviderError, and the last part. A stream
 * without a real `finish` fails the same way. An abort rejects, or errors the stream, with the signal's reason at once,
 * whatever the model does. @throws OffshootError `usage` for anything that is not such a model.
 */
export function createModel(
  languageModel: LanguageModelV4,
  info: ModelInfo,
  options: ModelOptions = {},
): Model {
  checkVersion(languageModel)
  const source: ErrorSource = { id: info.id, secrets: options.secrets ?? [], now: options.now ?? Date.now }
  const toPrompt = createToPrompt(fileReading(languageModel.provider))
  const toPlainPrompt = createToPrompt(noFiles)
  const toTools = createToTools()
  const isMarked = isClaude(languageModel)
  const refused = new Set<string>()
  return {
    info,
    async stream(request) {
      const { signal } = request
      const tools = toTools(request.tools)
      const hasFormat = answerFormat(languageModel, request) !== undefined
      const start = ({ files, ...wishes }: Wishes) =>
        untilAbort(
          signal,
          () => {
            const prompt = files ? toPrompt(request.messages) : toPlainPrompt(request.messages)
            return languageModel.doStream(
              callOptions(languageModel, { request, longest: info.maxOutput, prompt, tools, wishes }),
            )
          },
          (late) => isStream(late?.stream) && void bestEffort(late.stream.cancel()),
        )
      const starting = startWithWishes({ request, isMarked, hasFormat }, refused, start).catch(
        (error: unknown) => {
          throw signal.aborted ? signal.reason : toProviderError(error, source)
        },
      )
      const answer = await starting
      if (!isStream(answer?.stream)) throw toProviderError(new Error(NO_STREAM), source)
      const reader = guard(answer.stream, signal, source)
      return { getReader: () => reader }
    },
  }
}

const NO_PART = 'the model sent something that is not part of an answer'
const NO_REASON = 'the model sent an end without a finishReason'
const NO_STREAM = 'its doStream returned no {stream} that is a ReadableStream'

/** Required by the types, but JavaScript programs may violate them. */
function isStream(value: unknown): boolean {
  return typeof (value as Partial<ReadableStream> | undefined)?.getReader === 'function'
}

function checkVersion(model: { readonly specificationVersion?: unknown; readonly doStream?: unknown }): void {
  const version = model.specificationVersion
  if (version === 'v4' && typeof model.doStream === 'function') return
  const found =
    typeof version === 'string' ? `a model of specification ${version}` : 'not a language model of the AI SDK'
  throw new OffshootError('usage', `this is ${found}; a model of specification v4 is needed`, {
    hint: 'Install the provider package of the AI SDK that matches @ai-sdk/provider 4.',
  })
}

function createToTools(): (tools: readonly ToolSchema[]) => LanguageModelV4FunctionTool[] {
  const known = new WeakMap<ToolSchema, LanguageModelV4FunctionTool>()
  return (tools) =>
    tools.map((tool) => {
      let converted = known.get(tool)
      if (!converted) {
        const { name, description, inputSchema } = tool
        converted = { type: 'function', name, description, inputSchema }
        known.set(tool, converted)
      }
      return converted
    })
}

/** The result of `start`, or the signal's reason as soon as it aborts; a late result is passed to `discard`. */
function untilAbort<T>(
  signal: AbortSignal,
  start: () => PromiseLike<T>,
  discard: (late: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    Promise.resolve()
      .then(start)
      .then((value) => {
        if (signal.aborted) discard(value)
        resolve(value)
      }, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Converts each failure. Not a stream of its own: that would cost as much per part as everything else here. */
function guard(parts: ReadableStream<ModelPart>, signal: AbortSignal, source: ErrorSource): ModelReader {
  const reader = parts.getReader()
  const countOf = countAnswer()
  let finished = false
  let ended = false
  // cancelling the stream ends the read at once
  const onAbort = () => void bestEffort(reader.cancel(signal.reason))
  const end = (): ModelRead => {
    ended = true
    signal.removeEventListener('abort', onAbort)
    return END
  }
  const fail = (error: unknown): ModelRead => {
    end()
    void bestEffort(reader.cancel(error))
    // an error after the end has no effect
    return finished ? END : { done: false, value: { type: 'error', error: toProviderError(error, source) } }
  }
  const take = (read: ModelRead): ModelRead => {
    if (ended) return END
    if (signal.aborted) throw signal.reason
    if (read.done) return finished ? end() : fail(cutError(source))
    if (finished) return fail(undefined) // some servers send more, which is not part of the answer
    const { value } = read
    if (typeof value !== 'object' || value === null) return fail(new Error(NO_PART))
    if (value.type === 'error') return fail(value.error)
    const tooLarge = countOf(value)
    if (tooLarge) return fail(tooLarge)
    if (value.type === 'finish') {
      if (typeof value.finishReason !== 'object' || value.finishReason === null)
        return fail(new Error(NO_REASON))
      const { unified, raw } = value.finishReason
      if (unified === 'interrupted') return fail(cutError(source))
      if (isBrokenOff(value.finishReason)) return fail({ message: raw ?? 'no reason was given' })
      finished = true
    }
    return read
  }
  const broken = (error: unknown): ModelRead => {
    if (ended) return END
    if (signal.aborted) throw signal.reason
    return fail(error)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return {
    read: () => (ended ? Promise.resolve(END) : reader.read().then(take, broken)),
    cancel(reason) {
      end()
      return reader.cancel(reason)
    },
  }
}

const END: ModelRead = { done: true }
