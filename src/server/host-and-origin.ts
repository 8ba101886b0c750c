import { Problem } from './problem.ts'

/** The origin headers of a request, each as often as it was sent. */
export interface SenderHeaders {
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
  /** Sec-Fetch-Site, which pages cannot set. */
  readonly site: string | undefined
  /** Whether it reads data or changes something, rather than navigating to a page. */
  readonly isApi: boolean
}

/** The names by which this server may be addressed. */
export interface Names {
  /** Exactly as in `127.0.0.1:4680`. */
  readonly hosts: ReadonlySet<string>
  readonly origins: ReadonlySet<string>
}

/** Loopback has three names; a server that listens elsewhere also has its configured name. */
export function namesOf(port: number, host: string): Names {
  const shown = host.includes(':') ? `[${host}]` : host
  const names = new Set(['127.0.0.1', 'localhost', '[::1]', shown].map((name) => `${name}:${port}`))
  return { hosts: names, origins: new Set([...names].map((name) => `http://${name}`)) }
}

/**
 * Refuses requests that a foreign page can send: to a host name that resolves to this machine (DNS rebinding), or from
 * its own origin, including `null` and every other port. @throws Problem 403
 */
export function checkSender({ hosts, origins, site, isApi }: SenderHeaders, names: Names): void {
  if (hosts.length !== 1 || !names.hosts.has(hosts[0]!))
    throw new Problem(403, 'forbidden', 'this Host is not allowed', `use ${[...names.hosts].join(', ')}`)
  if (origins.length > 1 || origins.some((origin) => !names.origins.has(origin)))
    throw new Problem(
      403,
      'forbidden',
      'requests from this Origin are not allowed',
      'only the page of this server may send them',
    )
  if (isApi && site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new Problem(
      403,
      'forbidden',
      'requests from other sites are not allowed',
      'only the page of this server may send them',
    )
}
