import type { Rule } from '../core/agent.ts'
import type { Item, Opinion } from './item.ts'
import { matchesAll, matchPattern, mayMatchText } from './pattern.ts'
import type { Layer } from './types.ts'

/**
 * What one layer says of an item: its last matching rule, else what it says by effect, else nothing. A later rule that
 * would forbid or ask, and only may match because part of the command is not known, makes an allow into an ask.
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
  if (item.texts.some((text) => matchPattern(rule.pattern, text, item.kind))) return true
  const kind = item.kind === 'host' ? 'text' : item.kind
  return rule.action !== 'allow' && item.aliases.some((text) => matchPattern(rule.pattern, text, kind))
}

function mayForbid(item: Item, rule: Rule): boolean {
  return rule.action !== 'allow' && item.uncertain !== null && mayMatchText(rule.pattern, item.uncertain)
}

/** An allow for everything still counts as such when special rules that only allow come after it. */
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
