/**
 * What was between a command and the machine, as a code: nothing; a sandbox without a network; one that reaches allowed
 * hosts. A later version may have others.
 */
export type SandboxForce = 'off' | 'no-network' | 'allowed-hosts'

/** What a command that waits for an approval can reach. */
export interface CommandSandbox {
  readonly force: SandboxForce
  /** In a sandbox: the directories that it can write. */
  readonly writes: readonly string[]
}

/** `in a sandbox, no network`; null where there is none, or an older program recorded the command. */
export function sandboxWords(force: SandboxForce | null | undefined): string | null {
  const network = networkWords(force)
  return network === null ? null : `in a sandbox${network && `, ${network}`}`
}

/** For a person who decides. null: an older program asked, which had no sandbox to tell of. */
export function commandSandboxWords(sandbox: CommandSandbox | null | undefined): string | null {
  if (!sandbox) return null
  const network = networkWords(sandbox.force)
  if (network === null) return 'runs without a sandbox: with your rights'
  return `runs in a sandbox: ${[network, `writes only in ${sandbox.writes.join(', ')}`].filter(Boolean).join(', ')}`
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
