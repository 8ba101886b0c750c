/**
 * What was between a command and the machine, as a code: nothing; a sandbox without a network; one that reaches allowed
 * hosts. A later version may have others.
 */
export type SandboxForce = 'off' | 'no-network' | 'allowed-hosts'

/** What commands reach beyond the settings of their sandbox, because a person allowed it. */
export interface Widening {
  /** `example.com:443`; of an answer with a pattern of the person's own, also `*.example.com`. */
  readonly hosts: readonly string[]
  /** Absolute paths of directories that can be read and written. */
  readonly directories: readonly string[]
}

/** What a command that waits for an approval can reach. */
export interface CommandSandbox {
  readonly force: SandboxForce
  /** In a sandbox: the directories that it can write. */
  readonly writes: readonly string[]
  /** What it asks for beyond that. Absent: nothing. */
  readonly asks?: Widening | undefined
}

export const NOTHING_MORE: Widening = { hosts: [], directories: [] }

export function isWide({ hosts, directories }: Widening): boolean {
  return hosts.length + directories.length > 0
}

/** `access to example.com:443 and write access to /data`; empty for nothing. */
export function wideningWords({ hosts, directories }: Widening): string {
  const network = hosts.length > 0 ? `access to ${hosts.join(', ')}` : ''
  const files = directories.length > 0 ? `write access to ${directories.join(', ')}` : ''
  return [network, files].filter(Boolean).join(' and ')
}

/** `in a sandbox, no network`; null where there is none, or an older program recorded the command. */
export function sandboxWords(force: SandboxForce | null | undefined, widened?: Widening): string | null {
  const network = networkWords(force)
  if (network === null) return null
  const more = widened && isWide(widened) ? `with ${wideningWords(widened)}` : ''
  return ['in a sandbox', network, more].filter(Boolean).join(', ')
}

/** For a person who decides. null: an older program asked, which had no sandbox to tell of. */
export function commandSandboxWords(sandbox: CommandSandbox | null | undefined): string | null {
  if (!sandbox) return null
  const network = networkWords(sandbox.force)
  if (network === null) return 'runs without a sandbox: with your rights'
  const reach = [network, `writes only in ${sandbox.writes.join(', ')}`].filter(Boolean).join(', ')
  const asks = sandbox.asks && isWide(sandbox.asks) ? `; asks for more: ${wideningWords(sandbox.asks)}` : ''
  return `runs in a sandbox: ${reach}${asks}`
}

/** For a place where it stands alone. null: it is not known. */
export function sandboxLabel(
  force: SandboxForce | null,
): { readonly words: string; readonly about: string } | null {
  if (force === null) return null
  const network = networkWords(force)
  if (network === null) return { words: 'no sandbox', about: 'Commands run with your rights' }
  return {
    words: ['sandbox', network].filter(Boolean).join(': '),
    about: 'Commands run in a sandbox, and write only in the directories of their run',
  }
}

/** null: no sandbox. */
function networkWords(force: SandboxForce | null | undefined): string | null {
  if (force === null || force === undefined || force === 'off') return null
  if (force === 'no-network') return 'no network'
  return force === 'allowed-hosts' ? 'allowed hosts only' : ''
}
