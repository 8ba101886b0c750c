import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Clock } from '../../core/clock.ts'
import { ToolError } from '../port.ts'
import { connect } from './connect.ts'
import { untilAborted, within } from './deadline.ts'
import { exchange, readBody } from './send-request.ts'
import type { Network } from './network.ts'
import { networkError } from './network-error.ts'
import { hostOf } from './page-url.ts'
import { searchRequest, type SearchHit, type SearchRequest } from './search-provider.ts'
import type { SearchSettings } from './search-settings.ts'

interface SearchPorts {
  readonly network: Network
  readonly clock: Clock
  readonly signal: AbortSignal
}

const TIME_MS = 20_000
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Queries the configured provider. The user chose its address, so it may be private. Redirects are not followed,
 * because they could send the key elsewhere. Errors quote nothing from the response, which could repeat the key.
 * @throws ToolError
 */
export async function searchWeb(
  settings: SearchSettings,
  query: string,
  limit: number,
  { network, clock, signal }: SearchPorts,
): Promise<readonly SearchHit[]> {
  const request = searchRequest(settings, query, limit)
  const deadline = { clock, ms: TIME_MS, what: `the search with ${settings.provider}`, signal }
  return within(deadline, async (bounded) => {
    const message = await ask(request, { network, clock, signal: bounded })
    try {
      checkStatus(message, settings)
      return readAnswer(await readBody(message, MAX_BYTES, bounded), request, settings)
    } catch (error) {
      bounded.throwIfAborted()
      throw networkError(error, request.url)
    } finally {
      message.destroy()
    }
  })
}

async function ask({ url, sent }: SearchRequest, ports: SearchPorts): Promise<IncomingMessage> {
  const { network, signal } = ports
  const host = hostOf(url)
  try {
    const addresses = isIP(host) === 0 ? await untilAborted(network.resolve(host), signal) : [host]
    return await exchange(url, await connect(url, addresses, ports), sent, signal)
  } catch (error) {
    signal.throwIfAborted()
    throw networkError(error, url)
  }
}

function checkStatus({ statusCode = 0, headers }: IncomingMessage, { provider }: SearchSettings): void {
  if (statusCode >= 200 && statusCode <= 299) return
  const answered = `${provider} answered ${statusCode}`
  if (provider === 'searxng' && statusCode === 403)
    throw new ToolError(
      'search_refused',
      `${answered}: it does not return results as JSON`,
      'Tell the user to add `json` to search.formats in its settings.yml.',
    )
  if (statusCode === 401 || statusCode === 403)
    throw new ToolError(
      'search_key',
      `${answered}: it does not accept the key`,
      'Tell the user, and continue without the search.',
    )
  if (statusCode === 402 || statusCode === 432 || statusCode === 433)
    throw new ToolError(
      'search_limit',
      `${answered}: the quota of the key is used up`,
      'Continue without the search.',
    )
  if (statusCode === 429)
    throw new ToolError('search_limit', `${answered}: too many searches${waitOf(headers['retry-after'])}`)
  if (statusCode >= 300 && statusCode <= 399)
    throw new ToolError('search_failed', `${answered}: a redirect, which is not followed`)
  throw new ToolError(
    'search_failed',
    statusCode >= 500 ? `${answered}: it is not available right now` : answered,
  )
}

function waitOf(retryAfter: string | undefined): string {
  return /^\d{1,6}$/.test(retryAfter ?? '') ? `; try again after ${retryAfter} s` : '; try again later'
}

function readAnswer(
  body: Buffer,
  { answer }: SearchRequest,
  { provider }: SearchSettings,
): readonly SearchHit[] {
  const parsed = answer.safeParse(readJson(body))
  if (parsed.success) return parsed.data
  throw new ToolError('search_failed', `the response of ${provider} is not a list of results`)
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown
  } catch {
    return undefined
  }
}
