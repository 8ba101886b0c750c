/** The environment of child processes. An allowlist, so that no key or token reaches a program that a model starts. */
export function childEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  marks: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && passes(name, value)) passed[name] = value
  }
  return { ...passed, ...FIXED, ...GIT, ...marks }
}

/** Files and directories of certificates: on machines whose network has its own authority, nothing works without them. */
export const CERTIFICATES: readonly string[] = [
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'PIP_CERT',
  'CARGO_HTTP_CAINFO',
  'AWS_CA_BUNDLE',
]

const PASSED = new Set(
  (
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TMP TEMP HOSTNAME ' +
    'XDG_RUNTIME_DIR XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME ' +
    'GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL ' +
    `${CERTIFICATES.join(' ')} NVM_DIR VIRTUAL_ENV PYENV_ROOT JAVA_HOME GOPATH GOROOT CARGO_HOME RUSTUP_HOME ` +
    'SYSTEMROOT WINDIR COMSPEC PATHEXT USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA'
  ).split(' '),
)

const PROXIES = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'])

/** A proxy address with a password is dropped. */
function passes(name: string, value: string): boolean {
  const upper = name.toUpperCase()
  if (PROXIES.has(upper)) return !value.includes('@')
  return PASSED.has(upper) || upper.startsWith('LC_')
}

/** No colours, no pager, no prompts on a missing terminal. */
const FIXED = { TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' }

/** A repository must not run its own code through git: no monitor, no hooks, no command transports. */
const GIT = gitConfig({
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'protocol.ext.allow': 'never',
})

function gitConfig(settings: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(settings)
  const pairs = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return {
    GIT_CONFIG_COUNT: String(entries.length),
    ...(Object.fromEntries(pairs) as Record<string, string>),
  }
}
