import { builtinAgents } from '../agents/builtin-agents.ts'
import type { Rule } from '../core/agent.ts'
import type { RawConfig } from '../config/config-file.ts'
import { configSchema, type Config } from '../config/config-schema.ts'
import { atMost, JUDGES, same } from './harmless-config-keys.ts'
import { canonical, ruleIdentity, type AskedRequest, type IsGranted, type Source } from './trust-request.ts'
import { scriptIdentity, scriptOf, scriptText } from './model-scripts.ts'
import { requestText, requestedRuleText, valueText } from './request-text.ts'

/** The effective part of a project's configuration file, and its requests. */
export interface NarrowedConfig {
  readonly values: RawConfig
  readonly requests: readonly AskedRequest[]
}

/** The configuration file, and the base of its relative paths. */
export interface ConfigFile extends Source {
  readonly root: string
}

/** `project` is validated; `user` is the user's file. */
export function narrowConfig(
  project: RawConfig,
  user: RawConfig,
  source: ConfigFile,
  isGranted: IsGranted,
): NarrowedConfig {
  if (Object.keys(project).length === 0) return { values: project, requests: [] }
  const walk: Walk = { base: configSchema().parse(user), source, isGranted, requests: [] }
  const entries = Object.entries(project).map(([key, value]) => [key, inForce(key, value, walk)])
  const values = Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as RawConfig
  return { values, requests: walk.requests }
}

interface Walk {
  readonly base: Config
  readonly source: ConfigFile
  readonly isGranted: IsGranted
  readonly requests: AskedRequest[]
}

/** undefined: no part applies. */
function inForce(key: string, value: unknown, walk: Walk): unknown {
  const judge = Object.hasOwn(JUDGES, key) ? JUDGES[key as keyof Config] : same
  const base = walk.base[key as keyof Config] as unknown
  if (judge === 'rules') return rulesInForce(configSchema().shape.permissions.parse(value), walk)
  if (judge === 'agents') return agentsInForce(objectOf(value), walk)
  if (typeof judge === 'function')
    return judge(value, base) || asks(key, value, base, walk) ? value : undefined
  const judgeOf = (name: string) =>
    judge === 'each key' ? same : Object.hasOwn(judge, name) ? judge[name]! : same
  return filtered(objectOf(value), (name, inner) => {
    const below = objectOf(base)[name]
    return judgeOf(name)(inner, below) || asks(`${key}.${name}`, inner, below, walk)
  })
}

function filtered(values: RawConfig, holds: (name: string, value: unknown) => boolean): RawConfig {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => holds(name, value)))
}

/** Records a request; returns whether it is granted. */
function asks(key: string, value: unknown, base: unknown, walk: Walk): boolean {
  const now = base === undefined || base === null ? '' : `; without this it is ${valueText(base)}`
  const script = isModel(key) ? scriptOf(value, walk.source.root) : undefined
  return note(
    {
      key,
      kind: kindOf(key),
      text: requestText(`sets ${key} to ${valueText(value)}`, `${scriptText(script)}${now}`),
      identity: canonical({ key, value, ...scriptIdentity(script) }),
      script,
      isBroad: script !== undefined,
    },
    walk,
  )
}

function isModel(key: string): boolean {
  return key === 'model' || key === 'smallModel'
}

function kindOf(key: string): AskedRequest['kind'] {
  if (key.startsWith('limits.')) return 'limit'
  if (key.startsWith('prices.')) return 'price'
  return isModel(key) ? 'model' : 'setting'
}

function note(
  about: Omit<AskedRequest, 'granted' | keyof Source>,
  { source, isGranted, requests }: Walk,
): boolean {
  const request = { file: source.file, sha256: source.sha256, ...about }
  const granted = isGranted(request)
  requests.push({ ...request, granted })
  return granted
}

/**
 * The rules without ungranted allow rules. Dropping one never weakens the layer: calls that it matched last are decided
 * by an earlier rule, or by none here.
 */
function rulesInForce(rules: readonly Rule[], walk: Walk): readonly Rule[] {
  return rules.filter((rule, at) => {
    if (rule.action !== 'allow') return true
    const identity = ruleIdentity(rule, rules.slice(at + 1))
    const text = requestText(`allows ${requestedRuleText(rule)}`, ' without asking')
    return note({ kind: 'rule', key: `permissions.${at}`, text, identity, isBroad: isBroadRule(rule) }, walk)
  })
}

/** Applies to every tool, or to every call of one. */
function isBroadRule({ tool, pattern = '*' }: Rule): boolean {
  return tool === '*' || /^[*/\s]*$/.test(pattern)
}

/**
 * Settings of an agent are granted as a whole, because partial settings would make another agent. Without trust, only
 * restrictions of agents that exist outside the project apply.
 */
function agentsInForce(agents: RawConfig, walk: Walk): RawConfig {
  return Object.fromEntries(
    Object.entries(agents).flatMap(([name, value]) => {
      const fields = objectOf(value)
      const known = knownAgent(name, walk.base)
      const narrow = filtered(fields, (field, given) => narrows(field, given, known))
      const asked = filtered(fields, (field) => !Object.hasOwn(narrow, field))
      if (Object.keys(asked).length === 0) return [[name, fields]]
      const key = `agents.${name}`
      const script = scriptOf(asked['model'], walk.source.root)
      const text = requestText(`sets for the agent ${name}: ${valueText(asked)}`, scriptText(script))
      const identity = canonical({ key, value: asked, ...scriptIdentity(script) })
      const granted = note(
        { kind: 'agent', key, text, identity, script, isBroad: script !== undefined },
        walk,
      )
      if (granted) return [[name, fields]]
      return Object.keys(narrow).length > 0 ? [[name, narrow]] : []
    }),
  )
}

/** The agent without the project; null: the project's own, whose fields are granted together. */
function knownAgent(name: string, { agents }: Config): { readonly maxTurns: number | undefined } | null {
  const configured = Object.hasOwn(agents, name) ? agents[name] : undefined
  const builtin = builtinAgents().find((agent) => agent.name === name)
  if (!configured && !builtin) return null
  return { maxTurns: configured?.maxTurns ?? builtin?.maxTurns }
}

/** Rules, disallowed tools and the mode of an agent only add restrictions, so they accumulate over all sources. */
function narrows(field: string, value: unknown, known: ReturnType<typeof knownAgent>): boolean {
  if (known === null) return false
  if (field === 'maxTurns') return known.maxTurns !== undefined && atMost(value, known.maxTurns)
  return field === 'permissions' || field === 'disallowedTools' || (field === 'mode' && value === 'plan')
}

function objectOf(value: unknown): RawConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RawConfig) : {}
}
