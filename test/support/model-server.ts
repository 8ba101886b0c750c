import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { LLMock, type ChatCompletionRequest, type FixtureOpts, type JournalEntry } from '@copilotkit/aimock'

/** Model providers as they are over HTTP, on loopback: Anthropic, OpenAI (Responses and Chat Completions), Gemini. */
export interface ModelServer {
  readonly url: string
  /** Adds answers; a request gets the first one that is left and matches. */
  answer(...answers: readonly ServerAnswer[]): void
  /** Has every request for which none is left answered by a function; one that never settles leaves it unanswered. */
  respond(respond: (request: ChatCompletionRequest) => ServerAnswer | Promise<ServerAnswer>): void
  /** What came in, oldest first. */
  requests(): readonly JournalEntry[]
  close(): Promise<void>
}

export interface ServerAnswer {
  /** Of the request in the form of Chat Completions, whatever the provider. Absent: any request. */
  readonly match?: (request: ChatCompletionRequest) => boolean
  /** Answers as often as it matches; otherwise once. */
  readonly always?: boolean
  readonly text?: string
  readonly reasoning?: string
  /** A string as `input` is sent as it is. */
  readonly toolCalls?: readonly { readonly tool: string; readonly input: unknown }[]
  readonly error?: { readonly status: number; readonly retryAfter?: number }
  /** In the words of Chat Completions, whatever the provider: `length`. Absent: by what the answer holds. */
  readonly finishReason?: string
  /** In the field names of the provider; the mock counts none by itself. */
  readonly usage?: Readonly<Record<string, number>>
  /** `chunkSize`, `truncateAfterChunks` and the like of aimock. */
  readonly fixture?: FixtureOpts
}

export async function startModelServer(): Promise<ModelServer> {
  const mock = await LLMock.create({ host: '127.0.0.1', port: 0, journalMaxEntries: 0, chunkSize: 40 })
  return {
    url: mock.url,
    answer: (...answers) => answers.forEach((answer) => addAnswer(mock, answer)),
    respond: (respond) => {
      const response = async (request: ChatCompletionRequest) => toResponse(await respond(request), request)
      mock.addFixture({ match: { predicate: () => true }, response })
    },
    requests: () => mock.getRequests(),
    close: () => mock.stop(),
  }
}

export const httpProviders = ['anthropic', 'openai', 'openai-compatible', 'google'] as const
export type HttpProvider = (typeof httpProviders)[number]

export const TEST_KEY = 'test-key-0123456789'

/** The environment that points a provider at a server, in the form of that vendor's own tools. */
export function providerEnvironment(provider: HttpProvider, url: string): Record<string, string> {
  switch (provider) {
    case 'anthropic':
      return { ANTHROPIC_API_KEY: TEST_KEY, ANTHROPIC_BASE_URL: url }
    case 'google':
      return { GEMINI_API_KEY: TEST_KEY, GOOGLE_GEMINI_BASE_URL: url }
    case 'openai':
      return { OPENAI_API_KEY: TEST_KEY, OPENAI_BASE_URL: `${url}/v1` }
    case 'openai-compatible':
      return { OPENAI_BASE_URL: `${url}/v1` }
  }
}

export type RawHandler = (request: http.IncomingMessage, response: http.ServerResponse) => unknown

/** A server that answers every request by hand, for what a mock of a provider cannot do. */
export async function startRawServer(handler: RawHandler): Promise<{ url: string; close(): Promise<void> }> {
  const server = http.createServer((request, response) => void handler(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function addAnswer(mock: LLMock, answer: ServerAnswer): void {
  let left = answer.always ? Infinity : 1
  mock.addFixture({
    ...answer.fixture,
    match: { predicate: (request) => left > 0 && (answer.match?.(request) ?? true) },
    response: (request) => {
      left--
      return toResponse(answer, request)
    },
  })
}

function toResponse(answer: ServerAnswer, request: ChatCompletionRequest) {
  const { text, reasoning, toolCalls, error, usage, finishReason } = answer
  if (error) {
    const { status, retryAfter } = error
    return {
      status,
      error: { message: `scripted ${status}` },
      ...(retryAfter === undefined ? {} : { retryAfter }),
    }
  }
  const more = {
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(usage ? { usage } : {}),
    ...(finishReason ? { finishReason } : {}),
  }
  if (!toolCalls) return { content: text ?? '', ...more }
  const calls = toolCalls.map(({ tool, input }) => ({
    name: tool,
    arguments: typeof input === 'string' ? input : JSON.stringify(input),
  }))
  // Gemini ends a turn with tool calls like any other
  const finish = request.model.startsWith('gemini') ? { finishReason: 'stop' } : {}
  return { ...(text === undefined ? {} : { content: text }), toolCalls: calls, ...more, ...finish }
}
