import type { ProcessResult } from '../../exec/run-process.ts'

/**
 * What programs print where something is missing that a sandbox never has, and the reason, which they do not know. Each is
 * true in every sandbox, whoever has printed the text.
 */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /could not (?:write|lock) config file \S*\.git\/|update of config-file failed/,
    'the settings of the repository (.git/config) can only be read in the sandbox; a person changes them',
  ],
  [
    /'?worktrees\/\S+.*Read-only file system/,
    'worktrees elsewhere can only be read in the sandbox; a person runs git gc and git worktree prune',
  ],
  [
    /could not read Username for|Permission denied \(publickey|gh auth login|npm (?:error|ERR!) code E?NEEDAUTH/,
    "no logins, keys or tokens of the person's home are in the sandbox",
  ],
  [
    /Could not resolve host|Temporary failure in name resolution|EAI_AGAIN|ENOTFOUND|Name or service not known/,
    'in the sandbox only its proxy (HTTPS_PROXY) looks names up: a program that does not use it, such as ssh, reaches no host',
  ],
  [
    /Cannot connect to the Docker daemon|docker\.sock|Failed to connect to (?:bus|socket \/run)/,
    'daemons of this machine, such as Docker, cannot be reached from the sandbox',
  ],
  [
    /Connection refused|ECONNREFUSED|Failed to connect to (?:localhost|127\.0\.0\.1)/,
    'localhost is that of the sandbox, with what its commands started; of this machine, it has the ports in sandbox.ports',
  ],
]

/** Why a command in a sandbox may have failed, for those who read what it printed. */
export function sandboxHints({ exitCode, output }: Pick<ProcessResult, 'exitCode' | 'output'>): string[] {
  return exitCode === 0 ? [] : HINTS.filter(([text]) => text.test(output)).map(([, hint]) => hint)
}
