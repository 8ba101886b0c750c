import { Problem } from './problem.ts'

/** What a request says about where it comes from: each header as often as it was sent. */
export interface SenderHeaders {
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
  /** Sec-Fetch-Site, which pages cannot set. */
  readonly site: string | undefined
  /** Whether it asks for data or changes something, and is no navigation to a page. */
  readonly isApi: boolean
}

/** The names under which this server may be called. */
export interface Names {
  /** `127.0.0.1:4680` and the like, exactly. */
  readonly hosts: ReadonlySet<string>
  readonly origins: ReadonlySet<string>
}

/** Loopback has three names; a server that listens elsewhere is called by what it was told to listen on too. */
export function namesOf(port: number, host: string): Names {
  const shown = host.includes(':') ? `[${host}]` : host
  const names = new Set(['127.0.0.1', 'localhost', '[::1]', shown].map((name) => `${name}:${port}`))
  return { hosts: names, origins: new Set([...names].map((name) => `http://${name}`)) }
}

/**
 * Refuses what a page elsewhere can send: by a name that it had resolve to this machine (DNS rebinding), or from its own
 * origin, `null` and every other port included. @throws Problem 403
 */
export function checkSender({ hosts, origins, site, isApi }: SenderHeaders, names: Names): void {
  if (hosts.length !== 1 || !names.hosts.has(hosts[0]!))
    throw new Problem(
      403,
      'forbidden',
      'this Host is not served here',
      `call it by ${[...names.hosts].join(', ')}`,
    )
  if (origins.length > 1 || origins.some((origin) => !names.origins.has(origin)))
    throw new Problem(403, 'forbidden', 'this Origin may not ask here', 'only the page of this server may')
  if (isApi && site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new Problem(
      403,
      'forbidden',
      'a page elsewhere may not ask here',
      'only the page of this server may',
    )
}
