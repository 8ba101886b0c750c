import type { Action, Rule } from '../core/agent.ts'
import { OffshootError } from '../core/errors.ts'
import { MAX_PATTERN_LENGTH } from './pattern.ts'

const ACTIONS = ['allow', 'ask', 'deny'] as const satisfies readonly Action[]
const KEYS: readonly string[] = ['tool', 'pattern', 'action']
const EXAMPLE = 'for example { "tool": "bash", "pattern": "git status*", "action": "allow" }'

/**
 * A rule from `{tool, pattern?, action}`, or from the short form `tool:pattern` (`tool` alone: every call of it), whose
 * action is the second argument. Throws OffshootError `config` with what is wrong and where.
 */
export function parseRule(input: unknown, action?: Action): Rule {
  if (typeof input === 'string') return shortRule(input, action)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid(`a rule is an object or a text, not ${JSON.stringify(input)}`)
  }
  const fields: Record<string, unknown> = { ...input }
  const unknownKey = Object.keys(fields).find((key) => !KEYS.includes(key))
  if (unknownKey !== undefined) throw invalid(`unknown key "${unknownKey}" in a rule`)
  return rule(fields['tool'], fields['pattern'], fields['action'] ?? action)
}

function shortRule(text: string, action: Action | undefined): Rule {
  const colon = text.indexOf(':')
  if (colon === -1) return rule(text.trim(), undefined, action)
  return rule(text.slice(0, colon).trim(), text.slice(colon + 1).trim(), action)
}

function rule(tool: unknown, pattern: unknown, action: unknown): Rule {
  if (typeof tool !== 'string' || !/^[^\s:]{1,200}$/.test(tool)) {
    throw invalid('"tool" of a rule must be the name of a tool or toolset, or *')
  }
  const known = ACTIONS.find((name) => name === action)
  if (known === undefined) throw invalid(`"action" of the rule for ${tool} must be allow, ask or deny`)
  if (pattern === undefined || pattern === null) return { tool, action: known }
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > MAX_PATTERN_LENGTH) {
    throw invalid(`"pattern" of the rule for ${tool} must be a text of 1 to ${MAX_PATTERN_LENGTH} characters`)
  }
  return { tool, pattern, action: known }
}

function invalid(message: string): OffshootError {
  return new OffshootError('config', message, { hint: EXAMPLE })
}
