/** Of what a command would have on this machine, what has a meaning in a cell, and the way to its proxy. */
export function cellEnvironment(
  environment: Readonly<Record<string, string>>,
  proxyPort?: number,
): Record<string, string> {
  const kept = Object.entries(environment).filter(([name]) => !OUTSIDE.test(name))
  return {
    ...Object.fromEntries(kept),
    TMPDIR: '/tmp',
    TMP: '/tmp',
    TEMP: '/tmp',
    ...(proxyPort !== undefined && proxyVariables(`http://127.0.0.1:${proxyPort}`)),
  }
}

/** The proxies of this machine are not reached from a cell, and neither are the sockets of the session. */
const OUTSIDE = /^(XDG_RUNTIME_DIR|(https?|all|no)_proxy)$/i

const LOCAL = 'localhost,127.0.0.1,::1'

/** Programs read different ones. Node's `fetch` and `http` look at them where they are told to. */
function proxyVariables(url: string): Record<string, string> {
  const entries = [
    ...['http_proxy', 'https_proxy', 'all_proxy'].map((name) => [name, url] as const),
    ['no_proxy', LOCAL] as const,
  ]
  return {
    ...Object.fromEntries(
      entries.flatMap(([name, value]) => [
        [name, value],
        [name.toUpperCase(), value],
      ]),
    ),
    NODE_USE_ENV_PROXY: '1',
    // over what an .npmrc of the project says
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    npm_config_noproxy: LOCAL,
  }
}
