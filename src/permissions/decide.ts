import type { Action, Rule } from '../core/agent.ts'
import { callItems } from './call-items.ts'
import type { Caution, Item, Opinion, ReadCommand } from './item.ts'
import { strictest } from './item.ts'
import { layerOpinion, permits } from './layer-decision.ts'
import { seenFrom } from './seen-from.ts'
import type { Decision, Grant, Level, PermissionCall } from './types.ts'

/**
 * Decides a call by the rules. Each subject (in a command line: each simple command and each file it names) is decided
 * separately, and the strictest decision wins. Likewise, the strictest level of the chain wins; the first level is the
 * root. Pure, total and bounded: no input makes this throw or hang. Callers handle unattended runs. Without
 * `readCommand`, no command line is allowed.
 */
export function decide(
  call: PermissionCall,
  chain: readonly Level[],
  grants: readonly Grant[] = [],
  readCommand?: ReadCommand,
): Decision {
  const verdicts = callItems(call, readCommand).map((item) => ({
    ...decideItem(item, chain, grants),
    widens: item.widens === true,
  }))
  const action = verdicts.map((verdict) => verdict.action).reduce(strictest, 'allow')
  const deciding = verdicts.filter((verdict) => verdict.action === action)
  const { why = 'there is nothing to decide', said } = deciding[0] ?? {}
  if (action !== 'ask') return { action, why, grant: null, ...(said ? { said } : {}) }
  const widening = deciding.filter((verdict) => verdict.widens)
  const whys = new Set([why, ...widening.slice(0, 1).map((verdict) => verdict.why)])
  const grant = commonGrant(widening.length > 0 ? widening : deciding)
  return { action, why: [...whys].join('; '), grant, ...(said ? { said } : {}) }
}

/** Whether earlier answers allow every part of a call, and no rule denies one. */
export function isGranted(call: PermissionCall, chain: readonly Level[], grants: readonly Grant[]): boolean {
  return callItems(call).every(
    (item) => granted(item, grants) && decideItem(item, chain, grants).action === 'allow',
  )
}

/** An answer can be made permanent only if one grant covers every question of the call. */
function commonGrant(asked: readonly Decision[]): Grant | null {
  const first = asked[0]?.grant ?? null
  const same = asked.every(({ grant }) => grant?.tool === first?.tool && grant?.pattern === first?.pattern)
  return same ? first : null
}

function decideItem(item: Item, chain: readonly Level[], grants: readonly Grant[]): Decision {
  const verdict = chain
    .map((level, depth) =>
      depth > 0 && isLifted(item, level) ? null : decideLevel(item, level, depth === 0),
    )
    .filter((decision) => decision !== null)
    .reduce<Verdict | null>(stricter, null)
  const decision = verdict ?? byDefault(item)
  if (decision.action === 'deny') return decision
  if (item.guard !== null) return { action: 'ask', why: item.guard, grant: null }
  if (!decision.liftable || !granted(item, grants)) return decision
  return { action: 'allow', why: `always allowed by an earlier answer: ${item.title}`, grant: null }
}

/** `liftable`: a grant may turn this into an allow. True for an `ask` of a rule or a default, without cautions. */
interface Verdict extends Decision {
  readonly liftable: boolean
}

function stricter(a: Verdict | null, b: Verdict): Verdict {
  if (a === null) return b
  if (a.action === b.action) return a.liftable && !b.liftable ? b : a
  return strictest(a.action, b.action) === a.action ? a : b
}

/** A delegation covers only certain matches, not possible ones. */
function isLifted(item: Item, { lifted = [] }: Level): boolean {
  return item.cautions.length === 0 && item.uncertain === null && granted(item, lifted)
}

function decideLevel(item: Item, level: Level, root: boolean): Verdict | null {
  const opinions = opinionsOf(level, item)
  if (opinions.length === 0) return root ? byDefault(item) : null
  const action = opinions.map((opinion) => opinion.action).reduce(strictest)
  const deciding = opinions.filter((opinion) => opinion.action === action)
  const caution = action === 'allow' ? uncovered(item, level, deciding) : undefined
  const source = deciding[0]
  const said = source === undefined ? level.name : `${source.layer}: ${ruleText(source.rule)}`
  if (caution !== undefined) {
    const why = `asks because it ${caution.reason}, which ${said} does not cover`
    return { action: 'ask', why, grant: null, liftable: false, ...saidBy(source) }
  }
  const liftable =
    action === 'ask' && item.cautions.length === 0 && opinions.every((opinion) => !opinion.doubt)
  const grant = liftable ? item.grant : null
  return { action, why: `${VERBS[action]} ${said}`, grant, liftable, ...saidBy(source) }
}

function saidBy(source: Opinion | undefined): Pick<Decision, 'said'> {
  return source ? { said: { layer: source.layer, rule: source.rule } } : {}
}

function opinionsOf(level: Level, item: Item): Opinion[] {
  const seen = level.directory === undefined ? item : seenFrom(level.directory, item)
  return level.layers.map((layer) => layerOpinion(seen, layer)).filter((opinion) => opinion !== null)
}

function uncovered(item: Item, level: Level, opinions: readonly Opinion[]): Caution | undefined {
  if (opinions.some((opinion) => opinion.whole)) return undefined
  return item.cautions.find((caution) => !covered(caution, level, opinions))
}

function covered(caution: Caution, level: Level, opinions: readonly Opinion[]): boolean {
  const { word, write } = caution
  if (word !== undefined && opinions.some(({ rule }) => spellsOut(rule, word))) return true
  if (write === undefined) return false
  const said = opinionsOf(level, write)
  return said.length > 0 && said.every((opinion) => opinion.action === 'allow')
}

function spellsOut(rule: Rule, word: string): boolean {
  return (rule.pattern ?? '')
    .split(' ')
    .slice(1)
    .map((part) => part.replace(/\*+$/, ''))
    .some((part) => part === word || isInCluster(part, word))
}

/** `-pe` contains `-e`. */
function isInCluster(part: string, word: string): boolean {
  return /^-[a-zA-Z]+$/.test(part) && /^-[a-zA-Z]$/.test(word) && part.includes(word.charAt(1))
}

const VERBS: Readonly<Record<Action, string>> = {
  allow: 'allowed by',
  ask: 'asks because of',
  deny: 'denied by',
}

/** Cautions add nothing here: a command without an allow rule asks anyway. */
function byDefault(item: Item): Verdict {
  const tool = item.tools[0] ?? 'it'
  const action = item.fallback
  const verb = { allow: 'is allowed', ask: 'asks', deny: 'is denied' }[action]
  const liftable = action === 'ask' && item.cautions.length === 0
  return {
    action,
    why: item.widens
      ? `${item.title} is beyond the settings of the sandbox, and ${verb}`
      : `no rule matches, and ${tool} ${verb} by default`,
    grant: liftable ? item.grant : null,
    liftable,
  }
}

function granted(item: Item, grants: readonly Grant[]): boolean {
  return grants.some((grant) => item.tools.includes(grant.tool) && permits(item, grant.pattern))
}

function ruleText(rule: Rule): string {
  return rule.pattern === undefined ? rule.tool : `${rule.tool} ${rule.pattern}`
}
