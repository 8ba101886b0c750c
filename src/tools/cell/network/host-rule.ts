import { isIP } from 'node:net'
import type { HostAndPort } from '../../web/network.ts'
import { refusedKind } from '../../web/address.ts'
import { hostOf, nameProblem } from '../../web/page-url.ts'

/** An entry of `sandbox.network`: a host, or with `below` every host whose name ends with its name. */
export interface HostRule {
  /** As `canonicalHost` writes it. */
  readonly name: string
  readonly below: boolean
  /** null: the ports of http and https. */
  readonly port: number | null
}

const USUAL_PORTS: ReadonlySet<number | null> = new Set([80, 443])
const MAX_PORT = 65_535

/** `example.com`, `*.example.com` or `example.com:8443`; else what is wrong with it. */
export function readHostRule(text: string): HostRule | { readonly problem: string } {
  const problem = (why: string) => ({ problem: `${JSON.stringify(text.slice(0, 100))}: ${why}` })
  const part = PARTS.find(([pattern]) => pattern.test(text))
  if (part) return problem(part[1])
  const below = text.startsWith('*.')
  const [, written = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(below ? text.slice(2) : text) ?? []
  const name = canonicalHost(written)
  if (name === undefined)
    return problem('it is not a host such as example.com, *.example.com or example.com:8443')
  if (bracketed(name) !== written.toLowerCase()) return problem(`write it as ${bracketed(name)}`)
  const port = digits === undefined ? null : Number(digits)
  if (port !== null && (port < 1 || port > MAX_PORT)) return problem(`${digits} is not a port`)
  const why = isIP(name) === 0 ? whyNoName(name, below) : whyNoAddress(name, below)
  return why === undefined ? { name, below, port } : problem(why)
}

/** What is often written around a host. */
const PARTS: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/:\/\//, 'write the host alone, without the scheme'],
  [/@/, 'write the host alone, without a user'],
  [/[/?#\\]/, 'write the host alone, without a path'],
  [/.\*|^\*(?!\.)/, 'a * is allowed only at the start, for whole parts of a name: *.example.com'],
]

function whyNoName(name: string, below: boolean): string | undefined {
  if (below && !name.includes('.')) return 'it names too many hosts'
  const why = nameProblem(name)
  return why && `${why}; a service of this machine is named by its port, in sandbox.ports`
}

function whyNoAddress(address: string, below: boolean): string | undefined {
  if (below) return 'an address has no names below it'
  const kind = refusedKind(address)
  return kind === null ? undefined : `it is a ${kind} address, and only public ones can be reached`
}

/** One spelling for each host: lower case, no trailing dot, IPv6 without brackets. undefined: it is none. */
export function canonicalHost(written: string): string | undefined {
  const url = /[/?#\\@\s]|^[^[]*:/.test(written) ? null : URL.parse(`http://${written}/`)
  if (!url || url.port !== '' || url.hostname === '') return undefined
  return hostOf(url).replace(/\.$/, '') || undefined
}

export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Whether a rule allows this host, which `canonicalHost` has written. */
export function allowsHost(rules: readonly HostRule[], { host, port }: HostAndPort): boolean {
  return allowsRule(rules, { name: host, below: false, port })
}

/** What a person can do where no rule allows it. */
export function whyNotAllowed({ host, port }: HostAndPort): string {
  const entry = USUAL_PORTS.has(port) ? bracketed(host) : `${bracketed(host)}:${port}`
  return 'problem' in readHostRule(entry)
    ? 'it is not a public host, and only public hosts can be allowed'
    : `${UNLISTED} (to allow it, a person adds "${entry}" to that list in the configuration)`
}

const UNLISTED = 'sandbox.network does not name it'

/** Whether that is why. */
export function isUnlisted(why: string): boolean {
  return why.startsWith(UNLISTED)
}

/** Whether one of these rules allows all that another allows. */
export function allowsRule(rules: readonly HostRule[], { name, below, port }: HostRule): boolean {
  return rules.some((rule) => {
    const isUsual = rule.port === null && (port === null || USUAL_PORTS.has(port))
    if (!isUsual && rule.port !== port) return false
    return rule.below
      ? name.endsWith(`.${rule.name}`) || (below && name === rule.name)
      : !below && name === rule.name
  })
}
