import { nameOfFile } from '../agents/agent-name.ts'
import type { LoadedAgents } from '../agents/load-agents.ts'
import { OffshootError } from '../core/errors.ts'
import { nearestName } from '../core/nearest-name.ts'
import type { AgentSettings } from './read-agent-settings.ts'

/** An agent named by a configuration source. */
export interface NamedAgent {
  readonly name: string
  /** For the error: `offshoot.jsonc:3: agents.critic`. */
  readonly where: string
  readonly settings: Pick<AgentSettings, 'description' | 'prompt'>
}

const HINT = 'a new agent needs "description" and "prompt"'

/**
 * Refuses settings of a missing agent. All sources together may define one. The user's configuration applies to every
 * directory and may name agents that only some have: there, only a probable misspelling is refused. @throws
 * OffshootError `config`
 */
export function requireAgents(
  named: { readonly here: readonly NamedAgent[]; readonly user: readonly NamedAgent[] },
  known: readonly string[],
): void {
  const all = [...named.user, ...named.here]
  for (const { name, where } of all) {
    if (known.includes(name) || isDefined(name, all)) continue
    const near = nearestName(name, known)
    if (!near && !named.here.some((each) => each.name === name)) continue
    const meant = near ? `; did you mean "${near}"?` : ''
    throw new OffshootError('config', `${where}: there is no agent with that name${meant}`, { hint: HINT })
  }
}

function isDefined(name: string, all: readonly NamedAgent[]): boolean {
  const parts = all.filter((each) => each.name === name).map(({ settings }) => settings)
  return (
    parts.some(({ description }) => description !== undefined) &&
    parts.some(({ prompt }) => prompt !== undefined)
  )
}

/** Agents defined by files. Unusable or untrusted files count too: they have errors of their own. */
export function namesOfFiles({ files }: Pick<LoadedAgents, 'files'>): string[] {
  return files.map(({ name, path }) => name ?? nameOfFile(path))
}
