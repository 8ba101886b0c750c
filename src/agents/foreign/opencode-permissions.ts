import type { Action, Rule } from '../../core/agent.ts'
import type { Json } from '../../core/json.ts'
import { patternProblem } from '../../core/rules/pattern-problem.ts'
import { anyPathPattern } from './path-pattern.ts'
import { isMap, type ForeignFields } from './foreign-fields.ts'
import { listed, unique } from './name-list.ts'
import { refuseNear } from './tool-list.ts'
import { opencodeTools, toolsNamed } from './tool-names.ts'

/**
 * opencode's rules in order: as with ours, the last match decides. `permission` is a map, or one word for everything;
 * `permissions` is a list of `{action, resource, effect}`. https://opencode.ai/docs/permissions
 */
export function opencodeRules(foreign: ForeignFields): Rule[] {
  const unknown: string[] = []
  const entries = [
    ...mapEntries(foreign, foreign.takeStrict('permission')),
    ...listEntries(foreign, foreign.takeStrict('permissions')),
  ]
  const rules: Rule[] = []
  for (const { key, pattern, action } of entries) {
    const tools = toolsOfKey(key)
    if (tools.length === 0) unknown.push(key)
    rules.push(
      ...tools.flatMap((tool) =>
        canWiden(key, tool, action, rules) ? [] : (ruleOf(tool, pattern, action) ?? []),
      ),
    )
  }
  refuseNear({ unknown }, 'permission', foreign)
  if (unknown.length > 0) foreign.ignore(`permission: not available here: ${listed(unknown)}`)
  return rules
}

/**
 * opencode has one permission for all tools that change files: `edit`. A key such as `apply_patch` has no effect there.
 * Its denials apply here anyway, but it never lifts another key's denial.
 */
function canWiden(key: string, tool: string, action: Action, before: readonly Rule[]): boolean {
  if (!CHANGES.has(tool) || key === '*' || matches(key, 'edit') || action === 'deny') return false
  const isDenied = before.some((rule) => rule.action === 'deny' && (rule.tool === '*' || rule.tool === tool))
  return action === 'allow' || isDenied
}

const CHANGES = new Set(['edit', 'write'])

interface Entry {
  readonly key: string
  readonly pattern: string
  readonly action: Action
}

function mapEntries(foreign: ForeignFields, value: Json | undefined): Entry[] {
  if (value === undefined) return []
  if (typeof value === 'string') return entry(foreign, '*', '*', value)
  if (!isMap(value)) return refuse(foreign, 'permission')
  return Object.entries(value).flatMap(([key, inner]) =>
    isMap(inner)
      ? Object.entries(inner).flatMap(([pattern, action]) => entry(foreign, key, pattern, action))
      : entry(foreign, key, '*', inner),
  )
}

function listEntries(foreign: ForeignFields, value: Json | undefined): Entry[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) return isMap(value) ? mapEntries(foreign, value) : refuse(foreign, 'permissions')
  return value.flatMap((each) => {
    if (!isMap(each) || typeof each.action !== 'string') return refuse(foreign, 'permissions')
    return entry(foreign, each.action, typeof each.resource === 'string' ? each.resource : '*', each.effect)
  })
}

function entry(foreign: ForeignFields, key: string, pattern: string, action: Json | undefined): Entry[] {
  if (action === 'allow' || action === 'ask' || action === 'deny') return [{ key, pattern, action }]
  foreign.fail(`its permission ${key.slice(0, 64)} is neither allow, ask nor deny`, 'permission')
  return []
}

function refuse(foreign: ForeignFields, key: string): [] {
  foreign.fail(`its ${key} cannot be read`, key)
  return []
}

/** Tools that a key may match; keys can have wildcards. */
export function toolsOfKey(key: string): readonly string[] {
  if (key === '*' || key === 'external_directory') return [key]
  if (!key.includes('*')) return toolsNamed(key, opencodeTools)
  const known = Object.keys(opencodeTools).filter((name) => matches(key, name))
  return unique(known.flatMap((name) => opencodeTools[name]!))
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().replace(/[_-]/g, '').split('*')
  if (parts.length === 1) return parts[0] === name
  let at = parts[0]!.length
  if (!name.startsWith(parts[0]!)) return false
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - parts.at(-1)!.length >= at && name.endsWith(parts.at(-1)!)
}

/** Its patterns for `grep` and `glob` match the search term, ours the place. */
const ABOUT_SOMETHING_ELSE = new Set(['grep', 'glob', 'websearch', 'todo', 'ask_user'])
const PATHS = new Set(['read', 'edit', 'write', 'list', 'external_directory'])

/** An inexact translation becomes stricter: deny and ask rules get wider, allow rules are dropped. */
function ruleOf(tool: string, pattern: string, action: Action): Rule | null {
  if (pattern === '*') return { tool, action }
  const same = !ABOUT_SOMETHING_ELSE.has(tool) && !pattern.includes('?') && tool !== '*'
  const exact = same ? ourPattern(tool, pattern) : null
  if (exact !== null) return { tool, pattern: exact, action }
  if (action === 'allow') return null
  const wider = pattern.replaceAll('?', '*')
  if (tool === 'bash' && patternProblem(tool, wider) === null) return { tool, pattern: wider, action }
  return { tool, action }
}

/** null: ours would mean something else, or nothing. */
function ourPattern(tool: string, pattern: string): string | null {
  const ours = PATHS.has(tool)
    ? anyPathPattern(pattern.replace(/^(\.\/)+/, ''))
    : pattern.replace(/:\*$/, ':**')
  return patternProblem(tool, ours) === null ? ours : null
}
