import type { HostAndPort } from '../../web/network.ts'
import { ToolError } from '../../port.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A proxy that this machine itself stands behind. */
export interface ParentProxy extends HostAndPort {
  /** For `proxy-authorization`. */
  readonly authorization: string | undefined
}

/**
 * What the environment says of the way to a host; undefined: there is none between. @throws ToolError for one that cannot be
 * used: to go around it is not what the environment asks for.
 */
export function parentProxyOf(
  env: Env,
  target: HostAndPort,
  how: 'tunnel' | 'http',
): ParentProxy | undefined {
  const value = valueOf(env, how === 'tunnel' ? 'https_proxy' : 'http_proxy') ?? valueOf(env, 'all_proxy')
  if (value === undefined || isExcepted(valueOf(env, 'no_proxy') ?? '', target)) return undefined
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`)
  if (url?.protocol !== 'http:' || url.hostname === '')
    throw new ToolError(
      'network',
      `this machine reaches hosts through a proxy that cannot be used here (${url?.protocol ?? 'no URL'} and not http:)`,
    )
  const user =
    url.username === '' ? undefined : [url.username, url.password].map(decodeURIComponent).join(':')
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || 80,
    authorization: user && `Basic ${Buffer.from(user).toString('base64')}`,
  }
}

/** As in curl, lower case comes first. */
function valueOf(env: Env, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined
}

/** Names with everything below them, with a port or without one. */
function isExcepted(list: string, { host, port }: HostAndPort): boolean {
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
      const bare = name.replace(/^\*?\./, '')
      return entry === '*' || ((only === undefined || Number(only) === port) && isBelow(bare, host))
    })
}

function isBelow(name: string, host: string): boolean {
  return host === name || host.endsWith(`.${name}`)
}
