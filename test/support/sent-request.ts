import { createFetch } from '../../src/model/fetch.ts'
import type { Json } from '../../src/core/json.ts'
import type { Model, ModelRequest } from '../../src/model/port.ts'
import { createResolver } from '../../src/model/resolve.ts'
import { modelRequest } from './model-request.ts'
import { providerEnvironment, startRawServer, type HttpProvider } from './model-server.ts'

type Body = { readonly [key: string]: Json | undefined }

const DEFAULT_MODEL = 'openai-compatible/some-model'

export function modelAt(url: string, provider: HttpProvider, id: string = provider): Promise<Model> {
  const clock = { now: Date.now, after: () => () => {} }
  const known = id === 'openai-compatible' ? DEFAULT_MODEL : id
  return createResolver({ env: providerEnvironment(provider, url), fetch: createFetch(), clock })(known)
}

interface Answering {
  /** `provider/model`; default: the one that a provider alone is. */
  readonly id?: string | undefined
  /** What every answer, a 400, says. */
  readonly says?: string
  /** How often the same model is asked. */
  readonly times?: number
}

/** The bodies of the requests that come of asking a model, each answered by a refusal. */
export async function sentRequests(
  provider: HttpProvider,
  request: Partial<ModelRequest>,
  { id, says = 'no', times = 1 }: Answering = {},
): Promise<Body[]> {
  const bodies: Body[] = []
  const raw = await startRawServer(async (incoming, response) => {
    const text = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>)).toString()
    bodies.push(JSON.parse(text) as Body)
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: says, type: 'invalid_request_error' } }))
  })
  try {
    const model = await modelAt(raw.url, provider, id)
    for (let asked = 0; asked < times; asked++)
      await model.stream(modelRequest(request)).catch((refusal: unknown) => refusal)
    return bodies
  } finally {
    await raw.close()
  }
}
