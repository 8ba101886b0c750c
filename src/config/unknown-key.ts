import { restrictingWord } from '../agents/restricting-keys.ts'
import { nearestName } from '../core/nearest-name.ts'

/** Parts of a configuration that grant, restrict or limit: what is not known there is never left out. */
const STRICT_PARTS: ReadonlySet<PropertyKey> = new Set(['limits', 'delegations', 'subagents'])
const STRICT_KEYS = ['permissions', 'delegations', 'delegation', 'limits', 'agents', 'subagents']

/** What there is no code for yet. */
const NOT_YET: Readonly<Record<string, string>> = {
  hooks: 'hooks are not run yet',
  mcp: 'MCP servers are not available yet',
  mcpServers: 'MCP servers are not available yet',
  mcp_servers: 'MCP servers are not available yet',
}

/** Where the words that restrict an agent have their place in a configuration. */
const PLACES: Readonly<Record<string, string>> = {
  permissions: 'write "permissions"',
  defaultPermissions: 'write "permissions"',
  maxTurns: 'write it under "limits"',
  maxIterations: 'write "limits": {"maxTurns": ...}',
  maxCostUsd: 'write "limits": {"budgetUsd": ...}',
  timeoutMs: 'write it under "limits"',
  isolation: 'write it under "subagents"',
  backend: 'write it under "subagents"',
  mode: 'a mode is named with --mode',
  permissionMode: 'a mode is named with --mode',
  readonly: 'use --mode plan, or rules in "permissions"',
}

/**
 * Why a configuration with this unknown key cannot be used; null where the key may be left out with a warning. `known`:
 * the keys that there are in its place; `limits`: those of `limits`.
 */
export function refusedKey(
  path: readonly PropertyKey[],
  known: readonly string[],
  limits: readonly string[],
): string | null {
  const key = String(path.at(-1))
  const unknown = `unknown key ${JSON.stringify(path.join('.').slice(0, 200))}`
  const near = nearestName(key, known)
  const meant = near ? `; did you mean ${near}?` : `; the keys are: ${known.join(', ')}`
  if (STRICT_PARTS.has(path[0]!) && path.length > 1) return `${unknown}${meant}`
  if (path.length > 1) return null
  if (Object.hasOwn(NOT_YET, key))
    return `${JSON.stringify(key)} does nothing yet: ${NOT_YET[key]}; remove it`
  if (limits.includes(key)) return `${unknown}; write it under "limits"`
  if (near && STRICT_KEYS.includes(near)) return `${unknown}${meant}`
  const word = restrictingWord(key)
  if (word) return `${unknown}; ${PLACES[word] ?? 'write it under "agents.NAME", or rules in "permissions"'}`
  const limit = near ? undefined : nearestName(key, limits)
  return limit ? `${unknown}; did you mean limits.${limit}?` : null
}
