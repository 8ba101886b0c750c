import { agentSpelled } from '../../agents/agent-aliases.ts'
import { builtinAgents } from '../../agents/builtin-agents.ts'
import { ForeignFields } from '../../agents/foreign/foreign-fields.ts'
import { readToolList, rulesFor, splitTokens, type ToolList } from '../../agents/foreign/tool-list.ts'
import { nearTool } from '../../agents/foreign/tool-names.ts'
import type { Rule } from '../../core/agent.ts'
import { OffshootError } from '../../core/errors.ts'

/**
 * `--allowedTools "Bash(git log:*)" Read` of Claude Code as rules of ours. A list that forbids may become stricter; one
 * that allows never becomes wider. @throws OffshootError `usage` for a name or a pattern that ours cannot say.
 */
export function claudeRules(option: string, values: readonly string[], action: 'allow' | 'deny'): Rule[] {
  for (const token of values.flatMap(splitTokens)) {
    const why = whyUncertain(token, action)
    if (why) throw notUnderstood(option, token, why)
  }
  const list = readToolList([...values], option, new ForeignFields(new Map()))!
  const [unknown] = list.unknown
  if (unknown !== undefined) throw notUnderstood(option, unknown, whyUnknown(unknown))
  if (list.patterns.some(({ pattern }) => pattern === null))
    throw notUnderstood(option, values.join(' '), 'one of its patterns has no equivalent here')
  const agents = list.agents.filter((name) => name !== '')
  return [
    ...(list.all ? [{ tool: '*', action }] : []),
    ...(action === 'deny' ? rulesFor({ ...list, agents: [] }, 'deny') : allowed(list)),
    ...agents.flatMap((name) => agentRules(name, action)),
  ]
}

/** What could come to allow more than is written. */
function whyUncertain(token: string, action: 'allow' | 'deny'): string | undefined {
  const [name = '', inner] = token.split(/\((.*)/s)
  if (name === '*' && inner !== undefined) return '* takes no pattern'
  if (action === 'deny' || /^task$/i.test(name)) return undefined
  return inner !== undefined && /,\s/.test(inner)
    ? 'a list of patterns; name the tool again for each of them'
    : undefined
}

/** An agent of the project may have the very name: what forbids binds that too. */
function agentRules(name: string, action: 'allow' | 'deny'): Rule[] {
  const names = action === 'deny' ? new Set([name, ourAgent(name)]) : [ourAgent(name)]
  return [...names].map((pattern) => ({ tool: 'task', pattern, action }))
}

/** A rule is matched with our names. */
function ourAgent(name: string): string {
  return agentSpelled(name, builtinAgents())?.name ?? name
}

/** Exactly what is listed. */
function allowed({ whole, patterns }: ToolList): Rule[] {
  return [
    ...[...whole].map((tool): Rule => ({ tool, action: 'allow' })),
    ...patterns.map(({ tool, pattern }): Rule => ({ tool, pattern: pattern!, action: 'allow' })),
  ]
}

function whyUnknown(name: string): string {
  if (name.startsWith('mcp__')) return 'MCP servers are not available yet; leave it out'
  const near = nearTool(name)
  return near
    ? `did you mean ${near}?`
    : 'Offshoot has no such tool; leave it out, or put the prompt before the list'
}

function notUnderstood(option: string, what: string, why: string): OffshootError {
  return new OffshootError('usage', `${option} ${JSON.stringify(what.slice(0, 100))}: ${why}`, {
    hint: 'in Offshoot: --allow "bash:git log *", --deny "edit:src/**"; docs/permissions.md describes the patterns',
  })
}
