import type { Action, Rule } from '../agent.ts'
import { OffshootError } from '../errors.ts'
import { nearestName } from '../nearest-name.ts'
import { toolNameProblem } from './unknown-tool.ts'
import { shown } from './quoted-value.ts'
import { patternProblem } from './pattern-problem.ts'

/** A rule as written: an object, or `tool:pattern` for an allow rule. */
export type RuleInput =
  | string
  | { readonly tool: string; readonly pattern?: string | undefined; readonly action: Action }

/** What is wrong with a rule. */
export interface RuleProblem {
  /** The invalid key; null: the whole rule. */
  readonly key: string | null
  /** A sentence with the value and what to write instead. */
  readonly problem: string
}

const ACTIONS = ['allow', 'ask', 'deny'] as const satisfies readonly Action[]
const KEYS = ['tool', 'pattern', 'action'] as const
const EXAMPLE = 'for example { "tool": "bash", "pattern": "git status*", "action": "allow" }'

/**
 * The only parser of rules, for configuration, agent files, the `task` tool, the library and `permissions check`. Names
 * that only a runtime knows (tools of a program or an agent) are checked by `KnownTools`.
 */
export function readRule(input: unknown): Rule | RuleProblem {
  if (typeof input === 'string') return shortRule(input)
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return wrong(null, `a rule is an object with tool, pattern and action, not ${shown(input)}`)
  const fields = new Map<string, unknown>(Object.entries(input))
  const unknown = [...fields.keys()].find((key) => !KEYS.some((known) => known === key))
  if (unknown !== undefined) return wrong(unknown, unknownKey(unknown))
  const { tool, action } = { tool: fields.get('tool'), action: fields.get('action') }
  const toolIs = toolProblem(tool, action)
  if (toolIs) return wrong('tool', toolIs)
  const known = ACTIONS.find((each) => each === action)
  if (known === undefined) return wrong('action', actionProblem(tool as string, action))
  return rule(tool as string, fields.get('pattern'), known)
}

/** @throws OffshootError `config` with the problem and an example. */
export function parseRule(input: unknown): Rule {
  const read = readRule(input)
  if (isRule(read)) return read
  throw new OffshootError('config', read.problem, { hint: EXAMPLE })
}

export function isRule(read: Rule | RuleProblem): read is Rule {
  return 'tool' in read
}

function shortRule(text: string): Rule | RuleProblem {
  const open = text.indexOf('(')
  const colon = text.indexOf(':')
  const isCall = open > 0 && (colon === -1 || open < colon)
  const tool = (isCall || colon === -1 ? text : text.slice(0, colon)).trim()
  const problem = toolProblem(tool, 'allow')
  if (problem) return wrong(null, problem)
  return rule(tool, colon === -1 ? undefined : text.slice(colon + 1).trim(), 'allow')
}

function rule(tool: string, pattern: unknown, action: Action): Rule | RuleProblem {
  if (pattern === undefined) return { tool, action }
  const problem = patternProblem(tool, pattern, action)
  return problem ? wrong('pattern', problem) : { tool, pattern: pattern as string, action }
}

function toolProblem(tool: unknown, action: unknown): string | null {
  if (typeof tool !== 'string' || tool.trim() === '')
    return `"tool" of a rule must be the name of a tool or toolset, or "*", not ${shown(tool)}`
  return foreignCall(tool, action) ?? toolNameProblem(tool)
}

/** `Bash(rm *)` of other programs, and `bash:rm *`, our short form of a whole rule. */
function foreignCall(tool: string, action: unknown): string | null {
  const [, name, inner] =
    /^\s*([\w-]+)\s*\(([^]*?)\)?\s*$/.exec(tool) ?? /^\s*([\w-]+):([^]*)$/.exec(tool) ?? []
  if (name === undefined || inner === undefined) return null
  const instead = toolNameProblem(name)?.match(/"(\w+)"\??$/)?.[1] ?? name
  return `${shown(tool)} is not the name of a tool; write ${ruleText(instead, inner.trim(), action)}`
}

/** Our rule for `Bash(rm:*)`; omits a pattern that matches every call. */
function ruleText(tool: string, inner: string, action: unknown): string {
  const pattern = inner.replace(/:\*$/, ' *').replace(/^domain:\s*/, '')
  const says = ACTIONS.find((each) => each === action) ?? 'deny'
  const part = pattern === '' || pattern === '*' ? '' : `"pattern": ${shown(pattern)}, `
  return `{"tool": ${shown(tool)}, ${part}"action": "${says}"}`
}

function actionProblem(tool: string, action: unknown): string {
  const near = typeof action === 'string' ? nearestName(action, ACTIONS) : undefined
  const given = action === undefined ? 'is missing' : `is ${shown(action)}`
  const meant = near ? `; did you mean "${near}"?` : ''
  return `"action" of the rule for ${tool} ${given}; it must be "allow", "ask" or "deny"${meant}`
}

function unknownKey(key: string): string {
  const near = nearestName(key, KEYS)
  const meant = near ? `did you mean "${near}"?` : 'it has "tool", "pattern" and "action"'
  return `a rule has no key ${shown(key)}; ${meant}`
}

function wrong(key: string | null, problem: string): RuleProblem {
  return { key, problem }
}
