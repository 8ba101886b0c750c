import type { Rule } from '../core/agent.ts'
import type { Item, Opinion, Reach } from './item.ts'
import { mayMatchPath } from './path-shape.ts'
import { matchesAll, matchPattern, mayMatchText, UNKNOWN } from './match-pattern.ts'
import { resolveWords } from './resolve-path-words.ts'
import type { Layer } from './types.ts'

/**
 * A layer's decision about an item: its last matching rule, else its effect rule, else none. A later ask or deny rule
 * that may match, because part of the command is unknown, turns an allow into an ask.
 */
export function layerOpinion(item: Item, layer: Layer): Opinion | null {
  const rules = layer.rules.filter((rule) => item.tools.includes(rule.tool))
  const last = rules.findLastIndex((rule) => matches(item, rule))
  const doubt = rules.slice(last + 1).find((rule) => mayForbid(item, rule))
  const matched = rules[last]
  const opinion =
    matched === undefined
      ? effectOpinion(item, layer)
      : {
          action: matched.action,
          layer: layer.name,
          rule: matched,
          whole: isWhole(item, rules, last),
          doubt: false,
        }
  if (doubt === undefined || opinion?.action === 'deny') return opinion
  return { action: 'ask', layer: layer.name, rule: doubt, whole: false, doubt: true }
}

function matches(item: Item, rule: Rule): boolean {
  if (rule.action === 'allow') return permits(item, rule.pattern)
  if (item.texts.some((text) => matchPattern(rule.pattern, text, item.kind))) return true
  const kind = item.kind === 'host' ? 'text' : item.kind
  return item.aliases.some((text) => matchPattern(rule.pattern, text, kind))
}

/** Whether an allow with this pattern covers the item: its text, and its text with `..` resolved. */
export function permits(item: Item, pattern: string | undefined): boolean {
  const { texts, resolved, wrapped = [], kind } = item
  if (texts.some((text) => matchPattern(pattern, text, kind))) {
    if (resolved === undefined) return true
    const named = pattern === undefined ? pattern : resolveWords(pattern)
    return [pattern, named].some((each) => matchPattern(each, resolved, kind))
  }
  if (pattern === undefined || resolved !== undefined) return false
  const [spelledOut = ''] = pattern.split('*', 1)
  return wrapped.some(
    ({ text, spelled }) => spelledOut.startsWith(spelled) && matchPattern(pattern, text, kind),
  )
}

function mayForbid(item: Item, rule: Rule): boolean {
  if (rule.action === 'allow') return false
  if (item.uncertain !== null && mayMatchText(rule.pattern, item.uncertain)) return true
  if (item.suspects?.some((text) => text === UNKNOWN || matchPattern(rule.pattern, text, 'text')) === true)
    return true
  return item.reach !== undefined && reaches(item.reach, rule.pattern)
}

/**
 * A pattern that starts with a wildcard can match files anywhere, so it applies only if such a file exists or the files
 * are unknown. A pattern that starts with a name applies wherever that name may be reached.
 */
function reaches({ paths, files }: Reach, pattern: string | undefined): boolean {
  if (!paths.some((shape) => mayMatchPath(pattern, shape))) return false
  if (files === null || pattern === undefined || !/^[*?]/.test(pattern)) return true
  return files.some(
    ({ relative, absolute }) =>
      matchPattern(pattern, relative, 'path') || matchPattern(pattern, absolute, 'path'),
  )
}

/** An allow for everything still counts as one if more specific allow rules follow it. */
function isWhole(item: Item, rules: readonly Rule[], last: number): boolean {
  for (let at = last; at >= 0; at -= 1) {
    const rule = rules[at]
    if (rule === undefined || !matches(item, rule)) continue
    if (rule.action !== 'allow') return false
    if (matchesAll(rule.pattern)) return true
  }
  return false
}

function effectOpinion(item: Item, layer: Layer): Opinion | null {
  if (item.effects === null) return null
  const action = layer.byEffect?.[item.effects]
  if (action === undefined) return null
  const rule = { tool: item.effects, pattern: '*', action }
  return { action, layer: layer.name, rule, whole: true, doubt: false }
}
