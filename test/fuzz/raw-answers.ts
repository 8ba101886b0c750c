import { Finding } from './target.ts'

export interface RawAnswer {
  readonly status: number
  /** Of the content; empty where it is not said. */
  readonly type: string
  readonly body: string
}

/** The answers on one connection, byte for byte. */
export function readAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n')
    const [, status] = /^HTTP\/1\.[01] (\d{3}) /.exec(rest) ?? []
    if (end < 0 || status === undefined)
      throw new Finding('answers what is no HTTP', JSON.stringify(rest.slice(0, 500)))
    const head = rest.slice(0, end)
    const type = headerOf(head, 'content-type')
    const after = rest.slice(end + 4)
    const { body, length } = bodyIn(head, after, Number(status))
    answers.push({ status: Number(status), type, body })
    rest = after.slice(length)
  }
  return answers
}

function headerOf(head: string, name: string): string {
  return new RegExp(`^${name}: *(.*?)\\r?$`, 'im').exec(head)?.[1]?.toLowerCase() ?? ''
}

function bodyIn(
  head: string,
  after: string,
  status: number,
): { readonly body: string; readonly length: number } {
  const hasNone = status < 200 || status === 204 || status === 304
  // to HEAD too there is none, whatever the head says
  if (hasNone || after === '' || after.startsWith('HTTP/1.')) return { body: '', length: 0 }
  if (headerOf(head, 'transfer-encoding') === 'chunked') return chunkedIn(after)
  const length = headerOf(head, 'content-length')
  const until = length === '' ? after.length : Number(length)
  return { body: after.slice(0, until), length: until }
}

/** A stream may be cut by its reader. */
function chunkedIn(after: string): { readonly body: string; readonly length: number } {
  let body = ''
  for (let at = 0; ;) {
    const end = after.indexOf('\r\n', at)
    const size = Number.parseInt(after.slice(at, end), 16)
    if (end < 0 || Number.isNaN(size)) return { body, length: after.length }
    body += after.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
    if (size === 0) return { body, length: at }
  }
}
