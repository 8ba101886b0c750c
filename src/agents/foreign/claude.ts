import type { Rule } from '../../core/agent.ts'
import type { Json } from '../../core/json.ts'
import type { AgentFormat } from '../agent-format.ts'
import type { ParsedDefinition } from '../parse-definition.ts'
import { isMap, foreignFieldsOf, type ForeignFields } from './foreign-fields.ts'
import { someOf } from './name-list.ts'
import { allowedOf, deniedOf, readToolList, refuseNear, rulesFor } from './tool-list.ts'

/** `.claude/agents`: https://code.claude.com/docs/en/sub-agents, https://code.claude.com/docs/en/permissions */
export const claudeFormat: AgentFormat = {
  name: 'claude',
  parse: (text, path) => [parseClaude(text, path)],
}

function parseClaude(text: string, path: string): ParsedDefinition {
  const foreign = foreignFieldsOf(text)
  if (typeof foreign === 'string') return { skipped: foreign, warnings: [] }
  return foreign.agent(path, foreign.body, {
    ...claudeRestrictions(foreign),
    model: foreign.take('model'),
    effort: foreign.take('effort'),
    maxTurns: maxTurns(foreign),
    background: foreign.take('background'),
    isolation: foreign.takeStrict('isolation'),
    skills: foreign.take('skills'),
    mcpServers: serverNames(foreign),
  })
}

function maxTurns(foreign: ForeignFields): Json | undefined {
  const keys = ['maxTurns', 'max_turns', 'max-turns']
  foreign.agree(...keys)
  return foreign.takeStrict(...keys)
}

export interface Restricted {
  readonly tools: readonly string[] | undefined
  readonly disallowedTools: readonly string[] | undefined
  readonly permissions: readonly Rule[] | undefined
  readonly spawns: readonly string[] | undefined
}

/**
 * Tools and rules as in Claude Code: deny precedes ask, which precedes allow, in any order. In our lists the last match
 * decides, so their order is reversed; allow rules are left out, because below the user's rules they grant nothing.
 */
export function claudeRestrictions(foreign: ForeignFields): Restricted {
  foreign.agree(...ALLOWED)
  const allowed = allowedOf(readToolList(foreign.take(...ALLOWED), 'tools', foreign), 'tools', foreign)
  const denied = deniedOf(foreign)
  const { ask, deny } = ruleLists(foreign)
  const rules = [...allowed.rules, ...ask, ...deny, ...denied.rules]
  return {
    tools: allowed.tools,
    disallowedTools: someOf(denied.tools),
    permissions: someOf(rules),
    spawns: allowed.spawns,
  }
}

const ALLOWED = ['tools', 'allowed-tools', 'allowedTools', 'allowed_tools']
const RULE_LISTS = new Set(['allow', 'ask', 'deny'])

/** `permissions: {ask: [...], deny: [...]}`, as in the settings of Claude Code. */
function ruleLists(foreign: ForeignFields): { readonly ask: Rule[]; readonly deny: Rule[] } {
  const value = foreign.takeStrict('permissions')
  if (value !== undefined && !isMap(value))
    foreign.fail('its permissions cannot be read: expected {allow, ask, deny}', 'permissions')
  const lists = isMap(value) ? value : {}
  const strange = Object.keys(lists).find((key) => !RULE_LISTS.has(key))
  if (strange !== undefined)
    foreign.fail(
      `its permissions cannot be read: ${strange.slice(0, 64)} is not allow, ask or deny`,
      'permissions',
    )
  const rulesOf = (action: 'ask' | 'deny') => {
    const list = readToolList(lists[action] ?? undefined, `permissions.${action}`, foreign)
    refuseNear(list, `permissions.${action}`, foreign)
    return list ? [...(list.all ? [{ tool: '*', action }] : []), ...rulesFor(list, action)] : []
  }
  return { ask: rulesOf('ask'), deny: rulesOf('deny') }
}

/** Only servers configured here by name; a file can never start one. */
export function serverNames(foreign: ForeignFields): readonly string[] | undefined {
  const value = foreign.take('mcpServers', 'mcp-servers', 'mcp_servers')
  if (value === undefined) return undefined
  const names = (Array.isArray(value) ? value : [value]).flatMap(namesIn)
  if (names.length > 0) foreign.ignore('MCP servers are not available here')
  return names
}

function namesIn(value: Json): string[] {
  if (typeof value === 'string')
    return value
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean)
  return isMap(value) ? Object.keys(value) : []
}
