import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../core/clock.ts'
import { ToolError } from '../port.ts'
import { connect } from './connect.ts'
import { checkReadable } from './content-type.ts'
import { within } from './deadline.ts'
import { exchange, readBody } from './send-request.ts'
import type { Network } from './network.ts'
import { networkError } from './network-error.ts'
import { hostOf, readPageUrl } from './page-url.ts'
import { publicAddresses } from './public-addresses.ts'

export interface Page {
  /** Final address, after redirects. */
  readonly url: URL
  /** As sent by the server; empty if missing. */
  readonly contentType: string
  readonly body: Buffer
}

export interface GetOptions {
  readonly network: Network
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Decides whether a redirect may be followed. @throws ToolError if not. */
  readonly checkRedirect: (to: URL, from: URL) => void
}

const MAX_REDIRECTS = 5
const MAX_BYTES = 10 * 1024 * 1024
const TIME_MS = 30_000

/**
 * Fetches one page and follows redirects. Each hop is parsed, decided, looked up and checked again, and connects to
 * exactly the checked addresses. Sends no cookies, credentials or referrer. @throws ToolError
 */
export async function getPage(start: URL, options: GetOptions): Promise<Page> {
  const { clock, signal } = options
  const deadline = { clock, ms: TIME_MS, what: 'the page', signal }
  return within(deadline, (bounded) => follow(start, { ...options, signal: bounded }))
}

async function follow(start: URL, options: GetOptions): Promise<Page> {
  let url = start
  for (let redirects = 0; ; redirects++) {
    const message = await getOne(url, options)
    const target = redirectTarget(message, url)
    if (!target) return await readPage(url, message, options.signal)
    message.destroy()
    if (redirects === MAX_REDIRECTS)
      throw new ToolError(
        'too_many_redirects',
        `more than ${MAX_REDIRECTS} redirects, the last from ${url.host}`,
      )
    options.checkRedirect(target, url)
    url = target
  }
}

async function getOne(url: URL, options: GetOptions): Promise<IncomingMessage> {
  const { network, signal } = options
  try {
    const addresses = await publicAddresses(hostOf(url), network, signal)
    const socket = await connect(url, addresses, options)
    return await exchange(url, socket, { method: 'GET', headers: HEADERS }, signal)
  } catch (error) {
    signal.throwIfAborted()
    throw networkError(error, url)
  }
}

const HEADERS = {
  'user-agent': 'Offshoot (webfetch; one page, asked for by a user)',
  accept: 'text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.5',
}

function redirectTarget({ statusCode, headers }: IncomingMessage, url: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(statusCode ?? 0) || headers.location === undefined) return null
  try {
    // Node decodes headers as latin1, but servers mean UTF-8
    return readPageUrl(Buffer.from(headers.location, 'latin1').toString(), url)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    throw new ToolError(
      error.code,
      `${url.host} redirects to an address that is not fetched: ${error.message}`,
    )
  }
}

async function readPage(url: URL, message: IncomingMessage, signal: AbortSignal): Promise<Page> {
  const { statusCode = 0, headers } = message
  const contentType = headers['content-type'] ?? ''
  try {
    if (statusCode < 200 || statusCode > 299) throw failedStatus(url, statusCode)
    checkReadable(contentType, headers['content-length'])
    return { url, contentType, body: await readBody(message, MAX_BYTES, signal) }
  } catch (error) {
    signal.throwIfAborted()
    throw networkError(error, url)
  } finally {
    message.destroy()
  }
}

function failedStatus(url: URL, status: number): ToolError {
  const words = process.getBuiltinModule('node:http').STATUS_CODES[status]
  return new ToolError('http_status', `${url.host} answered ${status}${words ? ` (${words})` : ''}`)
}
