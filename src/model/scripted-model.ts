import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { sleep, type Clock } from '../core/clock.ts'
import { errorMessage, OffshootError, ProviderError } from '../core/errors.ts'
import { estimateTokens } from '../core/tokens.ts'
import { isContextTooLong } from './too-long.ts'
import {
  parseAnswer,
  parseScript,
  type Script,
  type ScriptEntry,
  type ScriptFunction,
  type ScriptInput,
  type ScriptRequest,
} from './model-script.ts'

export interface ScriptedOptions {
  readonly clock: Clock
  /** For messages; default: `scripted`. */
  readonly id?: string
}

/** One request as the model received it. */
export interface RecordedRequest {
  readonly agent: string
  readonly depth: number
  readonly options: LanguageModelV4CallOptions
}

export interface ScriptedModel extends LanguageModelV4 {
  readonly requests: readonly RecordedRequest[]
}

/**
 * The test model: answers from a script. Each agent has its own list or function, `*` is for agents without one. The
 * first unused list entry whose `match` fits answers, once. Without an answer, the request fails permanently. @throws
 * OffshootError `config` for an invalid script.
 */
export function createScriptedModel(
  script: ScriptInput,
  { clock, id = 'scripted' }: ScriptedOptions,
): ScriptedModel {
  const { agents } = parseScript(script, id)
  const left = new Map(
    Object.entries(agents).map(([agent, list]) => [agent, Array.isArray(list) ? [...list] : list]),
  )
  const requests: RecordedRequest[] = []
  const promptTokens = createPromptTokens()
  let answers = 0
  const numberOf = ({ agent }: RecordedRequest) => requests.filter((each) => each.agent === agent).length

  async function doStream(options: LanguageModelV4CallOptions) {
    const request = record(options)
    requests.push(request)
    const entry = await nextAnswer(left, { ...request, number: numberOf(request), source: id })
    if (!entry) throw exhausted(id, request.agent)
    const answer = ++answers
    if (entry.delayMs) await sleep(clock, entry.delayMs, options.abortSignal)
    options.abortSignal?.throwIfAborted()
    if (entry.error) throw providerError(id, entry.error)
    const usage = toUsage(entry, () => promptTokens(options.prompt))
    return { stream: streamOf(parts(entry, answer, usage)) }
  }

  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: id,
    supportedUrls: {},
    requests,
    doStream,
    doGenerate: () => Promise.reject(new OffshootError('internal', 'the scripted model only streams')),
  }
}

function record(options: LanguageModelV4CallOptions): RecordedRequest {
  const { agent, depth } = options.providerOptions?.['offshoot'] ?? {}
  return {
    agent: typeof agent === 'string' ? agent : 'main',
    depth: typeof depth === 'number' ? depth : 0,
    options,
  }
}

type Asked = RecordedRequest & { readonly number: number; readonly source: string }

async function nextAnswer(
  left: Map<string, Script['agents'][string]>,
  { source, ...request }: Asked,
): Promise<ScriptEntry | undefined> {
  const { agent, options } = request
  const input = lastInput(options.prompt)
  const answers = left.get(agent) ?? left.get('*') ?? []
  if (typeof answers === 'function') return await callScript(answers, { ...request, input }, source)
  const at = answers.findIndex(({ match }) => !match || input.search(match) >= 0)
  return at < 0 ? undefined : answers.splice(at, 1)[0]
}

async function callScript(
  script: ScriptFunction,
  request: ScriptRequest,
  source: string,
): Promise<ScriptEntry | undefined> {
  const name = `${source}: the script of the agent ${request.agent}`
  let answer
  try {
    answer = await script(request)
  } catch (error) {
    throw new ProviderError(`${name} failed: ${errorMessage(error)}`, { retryable: false, cause: error })
  }
  return answer === undefined ? undefined : parseAnswer(answer, name)
}

/** The text of the last message that came from a person or from tools. */
function lastInput(prompt: readonly LanguageModelV4Message[]): string {
  const message = prompt.findLast(({ role }) => role === 'user' || role === 'tool')
  if (message?.role === 'user')
    return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  if (message?.role !== 'tool') return ''
  return message.content
    .map((part) => (part.type === 'tool-result' ? outputText(part.output) : ''))
    .join('\n')
}

type ToolOutput = Extract<
  Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

function outputText(output: ToolOutput): string {
  switch (output.type) {
    case 'execution-denied':
      return output.reason ?? ''
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : '')).join('')
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value)
    case 'text':
    case 'error-text':
      return output.value
  }
}

function exhausted(id: string, agent: string): ProviderError {
  return new ProviderError(`${id}: the script has no answer left for the agent ${agent}`, {
    retryable: false,
    hint: `Add an entry to agents.${agent} (or agents['*']) of the script, or return an answer from its function.`,
  })
}

function providerError(id: string, error: NonNullable<ScriptEntry['error']>): ProviderError {
  const { status, retryAfter, message = 'an error of the script' } = error
  return new ProviderError(`${id}: HTTP ${status}: ${message}`, {
    status,
    isTooLong: isContextTooLong(status, message),
    retryable: status >= 500 || status === 429 || status === 408,
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1000 }),
  })
}

function* parts(
  entry: ScriptEntry,
  answer: number,
  usage: LanguageModelV4Usage,
): Generator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  if (entry.text) {
    yield { type: 'text-start', id: 'text' }
    for (const delta of pieces(entry.text, entry.chunks ?? 1)) yield { type: 'text-delta', id: 'text', delta }
    yield { type: 'text-end', id: 'text' }
  }
  for (const [at, call] of (entry.toolCalls ?? []).entries()) {
    const toolCallId = `call_${answer}_${at + 1}`
    const input = typeof call.input === 'string' ? call.input : JSON.stringify(call.input)
    yield { type: 'tool-input-start', id: toolCallId, toolName: call.tool }
    yield { type: 'tool-input-delta', id: toolCallId, delta: input }
    yield { type: 'tool-input-end', id: toolCallId }
    yield { type: 'tool-call', toolCallId, toolName: call.tool, input }
  }
  const unified = entry.finishReason ?? (entry.toolCalls?.length ? 'tool-calls' : 'stop')
  yield { type: 'finish', usage, finishReason: { unified, raw: entry.rawFinishReason ?? unified } }
}

/** The text in `count` pieces of nearly equal length, fewer if it is too short; splits no character. */
function* pieces(text: string, count: number): Generator<string> {
  const chars = [...text]
  const parts = Math.min(count, chars.length)
  for (let i = 0; i < parts; i++) {
    yield chars
      .slice(Math.floor((i * chars.length) / parts), Math.floor(((i + 1) * chars.length) / parts))
      .join('')
  }
}

/** From the script, else estimated by length. */
function toUsage(entry: ScriptEntry, promptTokens: () => number): LanguageModelV4Usage {
  const given = entry.usage
  const total = given?.input ?? promptTokens()
  const output =
    given?.output ?? estimateTokens(JSON.stringify([entry.text ?? '', entry.toolCalls ?? []]).length)
  const { cacheRead = 0, cacheWrite = 0, reasoning = 0 } = given ?? {}
  return {
    inputTokens: { total, noCache: Math.max(0, total - cacheRead - cacheWrite), cacheRead, cacheWrite },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
  }
}

/** Each message is measured once, so that requests of long conversations cost no more. */
function createPromptTokens(): (prompt: LanguageModelV4Prompt) => number {
  const known = new WeakMap<LanguageModelV4Message, number>()
  return (prompt) => {
    let chars = 0
    for (const message of prompt) {
      let length = known.get(message)
      if (length === undefined) known.set(message, (length = JSON.stringify(message.content).length))
      chars += length
    }
    return estimateTokens(chars)
  }
}

function streamOf(parts: Iterator<LanguageModelV4StreamPart>): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    pull(controller) {
      const { done, value } = parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}
