import { restrictingWord } from '../agents/restricting-keys.ts'
import { nearestName } from '../core/nearest-name.ts'

/** Parts of a configuration that grant, restrict or limit: unknown keys in them are never ignored. */
const STRICT_PARTS: ReadonlySet<PropertyKey> = new Set(['limits', 'delegations', 'subagents', 'sandbox'])
const STRICT_KEYS = ['permissions', 'delegations', 'delegation', 'limits', 'agents', 'subagents']

/** Features without an implementation yet. */
const NOT_YET: Readonly<Record<string, string>> = {
  hooks: 'hooks are not run yet',
  mcp: 'MCP servers are not available yet',
  mcpServers: 'MCP servers are not available yet',
  mcp_servers: 'MCP servers are not available yet',
}

/** Where restrictions of agents belong in a configuration. */
const PLACES: Readonly<Record<string, string>> = {
  permissions: 'write "permissions"',
  defaultPermissions: 'write "permissions"',
  maxTurns: 'write it under "limits"',
  maxIterations: 'write "limits": {"maxTurns": ...}',
  maxCostUsd: 'write "limits": {"budgetUsd": ...}',
  timeoutMs: 'write it under "limits"',
  isolation: 'write it under "subagents"',
  backend: 'write it under "subagents"',
  mode: 'set the mode with --mode',
  permissionMode: 'set the mode with --mode',
  readonly: 'use --mode plan, or rules in "permissions"',
}

/**
 * Why this unknown key makes a configuration unusable; null: it can be ignored with a warning. `known`: the valid keys
 * in its place; `limits`: those of `limits`.
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
  if (Object.hasOwn(NOT_YET, key)) return `${JSON.stringify(key)} has no effect: ${NOT_YET[key]}; remove it`
  if (limits.includes(key)) return `${unknown}; write it under "limits"`
  if (near && STRICT_KEYS.includes(near)) return `${unknown}${meant}`
  const word = restrictingWord(key)
  if (word) return `${unknown}; ${PLACES[word] ?? 'write it under "agents.NAME", or rules in "permissions"'}`
  const limit = near ? undefined : nearestName(key, limits)
  return limit ? `${unknown}; did you mean limits.${limit}?` : null
}
