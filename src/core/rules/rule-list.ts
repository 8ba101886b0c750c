import type { Action, Rule } from '../agent.ts'
import { isRule, readRule } from './read-rule.ts'
import { shown } from './quoted-value.ts'
import { toolSpelled } from './tool-names.ts'

const EXAMPLE: Rule = { tool: 'bash', pattern: 'git status*', action: 'allow' }
const MAX_RULES = 3

/** Describes a value that is not a list of rules, and what to write instead. */
export function ruleListProblem(value: unknown): string {
  const meant = rulesMeant(value)
  const isMeant = meant.length > 0 && meant.every((rule) => isRule(readRule(rule)))
  const more = meant.length > MAX_RULES ? ', ...' : ''
  const instead = isMeant ? meant.slice(0, MAX_RULES).map((rule) => JSON.stringify(rule)) : []
  const write = isMeant ? `write [${instead.join(', ')}${more}]` : `for example [${JSON.stringify(EXAMPLE)}]`
  return `expected a list of rules, not ${shown(value)}; ${write}`
}

/** The rules that were probably meant: a rule outside a list, or another program's form. */
function rulesMeant(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  if ('tool' in value) return [value]
  return Object.entries(value).flatMap(([key, inner]) => {
    const action = actionOf(key)
    if (action && Array.isArray(inner)) return inner.map((each) => ruleOf(each, action))
    return ofTool(toolSpelled(key) ?? key, inner)
  })
}

/** `{"bash": "allow"}` and `{"bash": {"git *": "allow"}}` */
function ofTool(tool: string, inner: unknown): unknown[] {
  if (typeof inner !== 'object' || inner === null) return [{ tool, action: actionOf(inner) }]
  return Object.entries(inner).map(([pattern, action]) => ({ tool, pattern, action: actionOf(action) }))
}

/** `{"deny": ["Bash(rm *)"]}` */
function ruleOf(text: unknown, action: Action): unknown {
  const [, name = '', pattern] = /^\s*([\w-]+)\s*(?:[(:]\s*([^]*?)\)?)?\s*$/.exec(String(text)) ?? []
  const tool = toolSpelled(name) ?? name
  return pattern === undefined ? { tool, action } : { tool, pattern: pattern.replace(/:\*$/, ' *'), action }
}

function actionOf(word: unknown): Action | undefined {
  if (word === true) return 'allow'
  if (word === false) return 'deny'
  return (['allow', 'ask', 'deny'] as const).find((each) => each === word)
}
