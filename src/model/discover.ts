import { z } from 'zod'
import { errorMessage, OffshootError } from '../core/errors.ts'
import type { HttpBody } from './http-body.ts'
import type { Fetch } from './fetch.ts'
import type { Endpoint } from './endpoints-and-keys.ts'

const MAX_LIST_BYTES = 4 * 1024 * 1024

const compatibleList = z.lazy(() => z.object({ data: z.array(z.object({ id: z.string().min(1) })) }))
const ollamaList = z.lazy(() => z.object({ models: z.array(z.object({ name: z.string().min(1) })) }))

/** The first model of an OpenAI-compatible server. @throws OffshootError `config` if it lists none. */
export async function firstCompatibleModel({ baseUrl, key }: Endpoint, fetch: Fetch): Promise<string> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const list = await readJson(fetch, `${baseUrl}/models`, headers, 10_000)
    .then((json) => compatibleList.parse(json).data)
    .catch((error: unknown) => {
      throw noModels(`${baseUrl}/models`, error)
    })
  if (!list[0]) throw noModels(`${baseUrl}/models`, 'the list is empty')
  return list[0].id
}

/** The first model of a local Ollama; null if none answers within `timeoutMs`, or it has none. */
export async function firstOllamaModel(
  { baseUrl }: Endpoint,
  fetch: Fetch,
  timeoutMs: number,
): Promise<string | null> {
  try {
    const json = await readJson(fetch, `${baseUrl?.replace(/\/v1$/, '')}/api/tags`, {}, timeoutMs)
    return ollamaList.parse(json).models[0]?.name ?? null
  } catch {
    return null
  }
}

function noModels(url: string, error: unknown): OffshootError {
  const cause = error instanceof TypeError ? error.cause : error
  const why = cause instanceof z.ZodError ? 'the response is not a list of models' : errorMessage(cause)
  return new OffshootError('config', `no model was found at ${url}: ${why}`, {
    hint: 'Name one: -m openai-compatible/NAME.',
    cause: error,
  })
}

async function readJson(
  fetch: Fetch,
  url: string,
  headers: Record<string, string>,
  timeoutMs: number,
): Promise<unknown> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`HTTP ${response.status}`)
  }
  return JSON.parse(await readText(response.body))
}

async function readText(body: HttpBody | null): Promise<string> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    chunks.push(read.value)
    if ((bytes += read.value.length) <= MAX_LIST_BYTES) continue
    await reader?.cancel()
    throw new Error('the list is too long')
  }
  return Buffer.concat(chunks).toString()
}
