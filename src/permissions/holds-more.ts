import type { Action, Rule } from '../core/agent.ts'
import type { Grant, Layer, Level } from './types.ts'

/** Everything that determines what an agent or a person may do. */
export interface Rights {
  /** The root level comes first. */
  readonly chain: readonly Level[]
  /** Tool names. */
  readonly tools: readonly string[]
  /** Permanent answers of people, including directories that they opened. */
  readonly grants: readonly Grant[]
}

/**
 * Describes what `other` may do that `own` may not, as a clause with the subject "it"; undefined: nothing. Compares
 * rules as they are written: unless they prove that `other` may do no more, it counts as more.
 */
export function holdsMore(other: Rights, own: Rights): string | undefined {
  const [root, ...levels] = other.chain
  const [ownRoot, ...ownLevels] = own.chain
  const unbound = ownLevels.find((level) => !levels.some((each) => isWithin(each, level)))
  const tool = other.tools.find((name) => !own.tools.includes(name))
  const grant = other.grants.find((each) => !own.grants.some((known) => isSameGrant(each, known)))
  return (
    moreAtRoot(root?.layers ?? [], ownRoot?.layers ?? []) ??
    (unbound && `is not bound by ${unbound.name}`) ??
    (tool !== undefined ? `has the tool ${tool}` : undefined) ??
    (grant && `has a permission that a person gave: ${ruleText(grant)}`)
  )
}

/** At the root an allow overrides the default, so an extra layer may widen, and so may a missing one. */
function moreAtRoot(layers: readonly Layer[], own: readonly Layer[]): string | undefined {
  const wider = layers.find((layer) => allowed(layer) !== undefined && !includes(own, layer))
  if (wider) return `has more allowed: ${allowed(wider)} (${wider.name})`
  const unbound = own.find((layer) => !onlyAllowsAll(layer) && !includes(layers, layer))
  return unbound && `is not bound by ${unbound.name}`
}

/** Below the root every level only narrows; a level without an opinion changes nothing. */
function isWithin(other: Level, own: Level): boolean {
  const isLess = (other.lifted ?? []).every((each) =>
    (own.lifted ?? []).some((known) => isSameGrant(each, known)),
  )
  const isSilent = own.layers.every((layer) => layer.rules.length === 0 && layer.byEffect === undefined)
  if (isSilent) return true
  const added = other.layers.filter((layer) => !includes(own.layers, layer))
  return (
    isLess &&
    other.directory === own.directory &&
    own.layers.every((layer) => includes(other.layers, layer)) &&
    added.every((layer) => allowed(layer) === undefined)
  )
}

function includes(layers: readonly Layer[], layer: Layer): boolean {
  const text = asText(layer)
  return layers.some((each) => asText(each) === text)
}

/** Layers with the same rules have the same text, whatever their names. */
function asText({ rules, byEffect = {} }: Layer): string {
  const effects = Object.entries(byEffect).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([rules.map(({ tool, pattern = null, action }) => [tool, pattern, action]), effects])
}

/**
 * A rule of the layer that allows what would otherwise ask. Spawns do not count: the rules decide each call of the
 * subagent.
 */
function allowed({ rules, byEffect = {} }: Layer): string | undefined {
  const rule = rules.find(({ action }) => action === 'allow')
  if (rule) return ruleText(rule)
  const [effect] = Object.entries(byEffect).find(([name, to]) => name !== 'spawn' && isAllow(to)) ?? []
  return effect && `every ${effect}`
}

function onlyAllowsAll({ rules, byEffect = {} }: Layer): boolean {
  return rules.length === 0 && Object.values(byEffect).every(isAllow)
}

function isAllow(action: Action): boolean {
  return action === 'allow'
}

function isSameGrant(a: Grant, b: Grant): boolean {
  return a.tool === b.tool && a.pattern === b.pattern
}

function ruleText({ tool, pattern }: Pick<Rule, 'tool' | 'pattern'>): string {
  return pattern === undefined ? tool : `${tool}:${pattern}`
}
