import { isDeepStrictEqual } from 'node:util'
import { readServerMessages } from '../../../src/client/sse.ts'
import { ProviderError } from '../../../src/core/errors.ts'
import { loadProvider } from '../../../src/model/ai-sdk/providers.ts'
import { createModel } from '../../../src/model/language-model.ts'
import type { Fetch } from '../../../src/model/fetch.ts'
import type { ModelInfo, ModelPart } from '../../../src/model/port.ts'
import type { Random } from '../../sim/random.ts'
import { collect, modelRequest } from '../../support/model-request.ts'
import { textsOf } from '../corpus.ts'
import { mutatedText } from '../mutate.ts'
import { checkMessage } from '../properties.ts'
import { hold, type Target } from '../target.ts'

const PROVIDERS = ['openai-compatible', 'anthropic', 'openai', 'google'] as const
type Wire = (typeof PROVIDERS)[number] | 'events'

/** `bytes`: one character for each. `cuts`: where the chunks end. */
type Input = { readonly wire: Wire; readonly bytes: string; readonly cuts: readonly number[] }

/** They read their answers themselves, and a line that ends with CR alone is late there. */
const PACKAGED: ReadonlySet<Wire> = new Set(['anthropic', 'openai', 'google'])
const WIRES: readonly Wire[] = [...PROVIDERS, 'openai-compatible', 'openai-compatible', 'events']
const DICTIONARY =
  `data: event: id: retry: [DONE] ping error {"error":{"message":"no"}} "finish_reason":"stop" tool_calls index null
  content delta choices usage thinking signature 1e999 -1 {} [] "" \\ud83d \\u0000 response.failed message_stop`
    .split(/\s+/)
    .concat(['\n\n', '\r\n\r\n', '\r\r', '\n', 'data: {\n\n', 'data: [DONE]\n\n', ': beat\n\n'])

/** Answers of models as their servers stream them, and events as this server does. */
export const streams: Target<Input> = {
  name: 'streams',
  limitMs: 500,
  fixed: ['wire'],
  generate(random) {
    const wire = random.pick(WIRES)
    const corpus = textsOf('streams').flatMap(({ label, text }) => (label === wire ? [text] : []))
    const text = random.chance(0.1)
      ? random.pick(corpus)
      : mutatedText(random, { corpus, dictionary: DICTIONARY })
    const bytes = Buffer.from(text).toString('latin1')
    return {
      wire,
      bytes: random.chance(0.2) ? changedByte(bytes, random) : bytes,
      cuts: cutsOf(random, bytes),
    }
  },
  async run({ wire, bytes, cuts }) {
    const whole = Buffer.from(bytes, 'latin1')
    const read = wire === 'events' ? readEvents : (chunks: readonly Buffer[]) => readAnswer(wire, chunks)
    const [first, second] = [await read([whole]), await read(chunksOf(whole, cuts))]
    if (PACKAGED.has(wire) && /\r(?!\n)/.test(bytes)) return
    const isSame = isDeepStrictEqual(second, first)
    hold(isSame, 'is another in other chunks', () => `${JSON.stringify(first)} and ${JSON.stringify(second)}`)
  },
}

function changedByte(bytes: string, random: Random): string {
  const at = random.between(0, bytes.length)
  return bytes.slice(0, at) + String.fromCharCode(random.between(0, 255)) + bytes.slice(at + 1)
}

/** A few anywhere, or one behind each byte of a short part. */
function cutsOf(random: Random, bytes: string): number[] {
  const anywhere = () => random.between(0, bytes.length)
  if (random.chance(0.6)) return Array.from({ length: random.between(1, 8) }, anywhere)
  const from = anywhere()
  return Array.from({ length: 64 }, (_, at) => from + at)
}

function chunksOf(whole: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].toSorted(
    (a, b) => a - b,
  )
  return places.slice(1).map((to, at) => whole.subarray(places[at], to))
}

/** A comment. Lines that end with CR alone may be read only when the next line comes. */
const LAST_LINE = ':\n'

function readEvents(chunks: readonly Buffer[]): unknown {
  const reader = readServerMessages()
  const decoder = new TextDecoder()
  const messages = chunks.flatMap((chunk) => reader.push(decoder.decode(chunk, { stream: true })))
  return messages.concat(reader.push(LAST_LINE))
}

const INFO: ModelInfo = {
  id: 'test/model',
  provider: 'test',
  label: 'test',
  window: null,
  maxOutput: null,
  price: null,
}

async function readAnswer(provider: (typeof PROVIDERS)[number], chunks: readonly Buffer[]): Promise<unknown> {
  const create = await loadProvider(provider, {
    baseUrl: 'http://127.0.0.1',
    key: 'k',
    fetch: fetchOf(chunks),
  })
  const model = createModel(create('m'), INFO)
  try {
    const parts = await collect(await model.stream(modelRequest()))
    checkParts(parts)
    return comparable(parts)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return { refused: shownError(error) }
  }
}

function fetchOf(chunks: readonly Buffer[]): Fetch {
  return async () => {
    const left = chunks.filter(({ length }) => length > 0)
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = left.shift()
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
    })
    return {
      ok: true,
      status: 200,
      statusText: '',
      headers: new Map([['content-type', 'text/event-stream']]),
      body,
    }
  }
}

/** One end, and nothing behind it. */
function checkParts(parts: readonly ModelPart[]): void {
  const ends = parts.filter(({ type }) => type === 'finish' || type === 'error')
  const shown = () => parts.map(({ type }) => type).join(' ')
  hold(ends.length === 1 && ends[0] === parts.at(-1), 'has not one end', shown)
  const [end] = ends
  if (end?.type === 'error') shownError(end.error)
}

function shownError(error: unknown): object {
  hold(error instanceof ProviderError, 'the error is of no documented type', () => String(error))
  const { message, status, retryable } = error as ProviderError
  checkMessage(message, 'the error')
  return { message, status, retryable }
}

/** Without what depends on the moment: pieces that came together are one, and ids are counted. */
function comparable(parts: readonly ModelPart[]): unknown {
  const ids = new Map<string, number>()
  const told: Record<string, unknown>[] = []
  for (const part of parts) {
    if (part.type === 'response-metadata' || part.type === 'raw') continue
    const last = told.at(-1)
    const plain: Record<string, unknown> = { ...part }
    for (const name of ['id', 'toolCallId']) {
      const id = plain[name]
      if (typeof id !== 'string') continue
      if (!ids.has(id)) ids.set(id, ids.size)
      plain[name] = ids.get(id)
    }
    if (part.type === 'error') plain['error'] = shownError(part.error)
    const isMore = 'delta' in part && last?.['type'] === part.type && last['id'] === plain['id']
    if (isMore) last['delta'] = `${String(last['delta'])}${part.delta}`
    else told.push(plain)
  }
  // how much of an answer is seen before what breaks it depends on what came together with that
  const end = told.at(-1)
  return end?.['type'] === 'error' ? { error: end['error'] } : told
}
