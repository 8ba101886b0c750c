import { isIP, isIPv4 } from 'node:net'
import { ToolError, type Subject } from '../port.ts'
import { refusedKind } from './address.ts'

/**
 * Parses a URL that may be fetched, judging by its text: http or https, without credentials, to a public address or a
 * possibly public name. The result has no fragment, and no trailing dot in its host. @throws ToolError `url_refused`
 * with the reason.
 */
export function readPageUrl(text: string, base?: URL): URL {
  const written = text.trim()
  if (/[\u0000-\u001f\u007f]/.test(written)) throw refused('it contains control characters')
  const url = URL.parse(written, base?.href)
  if (!url) throw refused('it is not a URL; write it in full, as in https://example.com/page')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refused(`only http and https are fetched, not ${url.protocol.slice(0, 40)}`)
  if (url.username !== '' || url.password !== '') throw refused('it contains a user name or password')
  if (BLOCKED_PORTS.has(url.port)) throw refused(`port ${url.port} is blocked`)
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  url.hash = ''
  checkHost(url, written, base)
  return url
}

/** The host of a URL for a resolver and a certificate: IPv6 without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** The subject of permission rules: the host, with a port other than the scheme's default, and the path. */
export function hostSubject({ host, pathname }: URL): Subject {
  return { kind: 'host', value: `${host}${pathname}` }
}

function refused(why: string): ToolError {
  return new ToolError('url_refused', why)
}

function checkHost(url: URL, written: string, base: URL | undefined): void {
  const host = hostOf(url)
  if (isIP(host) === 0) return checkName(host)
  const kind = refusedKind(host)
  if (kind !== null) throw refused(`${host} is a ${kind} address; only public ones are fetched`)
  if (isIPv4(host) && !isWrittenSo(host, written, base))
    throw refused(`the address is written in an unusual form; if it is meant, write ${host}`)
}

/** Whether the host is spelled normally. Spellings such as 134744072 or 010.8.8.8 are meant to deceive. */
function isWrittenSo(host: string, written: string, base: URL | undefined): boolean {
  const authority = /^(?:https?:)?\/\/([^/\\?#]*)/i.exec(written)?.[1]
  if (authority === undefined) return base !== undefined && hostOf(base) === host
  return authority === host || authority.startsWith(`${host}:`)
}

const MAX_NAME = 253
const MAX_LABEL = 63

function checkName(name: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) throw refused(`${problem}; only public hosts are fetched`)
}

/** Why this cannot be the name of a public host. */
export function nameProblem(name: string): string | undefined {
  const labels = name.split('.')
  if (name.length > MAX_NAME || labels.some((label) => label === '' || label.length > MAX_LABEL))
    return 'its host is not a valid name'
  if (labels.length === 1 || LOCAL_NAMES.some((local) => name === local || name.endsWith(`.${local}`)))
    return `${name} is a local network name`
  return undefined
}

const LOCAL_NAMES = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa']

/** Ports that browsers block (the fetch standard), because servers of other protocols could execute the request. */
const BLOCKED_PORTS: ReadonlySet<string> = new Set(
  `0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135
  137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719
  1720 1723 2049 3659 4045 4190 5060 5061 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080 11211 27017`.split(
    /\s+/,
  ),
)
