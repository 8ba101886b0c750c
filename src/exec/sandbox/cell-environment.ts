/** Of what a command would have on this machine, what has a meaning in a cell. */
export function cellEnvironment(environment: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(environment).filter(([name]) => !OUTSIDE.test(name))
  return { ...Object.fromEntries(kept), TMPDIR: '/tmp', TMP: '/tmp', TEMP: '/tmp' }
}

/** There is no network, and no socket of the session. */
const OUTSIDE = /^(XDG_RUNTIME_DIR|(https?|all|no)_proxy)$/i
