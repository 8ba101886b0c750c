import type { Rule } from '../core/agent.ts'
import type { RawConfig } from '../config/config-file.ts'
import { configSchema } from '../config/config-schema.ts'
import { narrowConfig, type ConfigFile } from './narrow-config.ts'
import { canonical, type AskedRequest, type IsGranted, type Source } from './trust-request.ts'
import { requestText, requestedRuleText, valueText } from './request-text.ts'

/**
 * Restrictions of a project's configuration at the time a person trusted it. They apply until the person trusts the
 * changed file: an agent that can write there cannot remove its own restrictions.
 */
export interface Pin {
  /** Hash of the trusted file. */
  readonly sha256: string
  /** Ask and deny rules. */
  readonly rules: readonly Rule[]
  readonly values: RawConfig
}

/** A person's grants for a directory's configuration. */
export interface Grants {
  readonly isGranted: IsGranted
  readonly pin?: Pin | undefined
}

export const NO_GRANTS: Grants = { isGranted: () => false }

const NARROWING = ['limits', 'delegation', 'recovery', 'agents']

/** Restrictions in the current file. */
export function pinOf(project: RawConfig, user: RawConfig, source: ConfigFile): Pin {
  const { permissions, ...others } = narrowConfig(project, user, source, () => false).values
  const values = Object.fromEntries(Object.entries(others).filter(([key]) => NARROWING.includes(key)))
  return { sha256: source.sha256, rules: (permissions ?? []) as readonly Rule[], values }
}

/** Restrictions that the file no longer has, as requests; trusting the file again grants them. */
export function droppedRequests(pin: Pin, project: RawConfig, source: Source): AskedRequest[] {
  const rules = configSchema().shape.permissions.parse(project['permissions'] ?? [])
  const said = new Set(rules.map(canonical))
  const lost = pin.rules.filter((rule) => !said.has(canonical(rule)))
  const about = { ...source, granted: false }
  return [
    ...lost.map((rule): AskedRequest => {
      const verb = rule.action === 'deny' ? 'denies' : 'asks about'
      const text = requestText(`no longer ${verb} ${requestedRuleText(rule)}`)
      return { ...about, kind: 'rule', key: 'permissions', text, identity: canonical({ drops: rule }) }
    }),
    ...lostValues([], pin.values, project).map(({ key, value, isItem }): AskedRequest => {
      const text = requestText(
        isItem
          ? `no longer includes ${valueText(value)} in ${key}`
          : `no longer sets ${key} to ${valueText(value)}`,
      )
      return { ...about, kind: 'setting', key, text, identity: canonical({ drops: key, value }) }
    }),
  ]
}

interface Lost {
  readonly key: string
  readonly value: unknown
  /** For a list that is still set. */
  readonly isItem: boolean
}

function lostValues(path: readonly string[], pinned: unknown, now: unknown): Lost[] {
  const key = path.join('.')
  const isObject = typeof pinned === 'object' && pinned !== null
  if (now === undefined && (!isObject || Array.isArray(pinned)))
    return [{ key, value: pinned, isItem: false }]
  if (!isObject) return []
  if (Array.isArray(pinned)) return lostItems(key, pinned, now)
  return Object.entries(pinned).flatMap(([name, value]) => {
    const inner = typeof now === 'object' && now !== null && Object.hasOwn(now, name)
    return lostValues([...path, name], value, inner ? (now as RawConfig)[name] : undefined)
  })
}

/** Compared by content: a list of the same length may have other items. */
function lostItems(key: string, pinned: readonly unknown[], now: unknown): Lost[] {
  const said = new Set((Array.isArray(now) ? now : []).map(canonical))
  return pinned.filter((item) => !said.has(canonical(item))).map((value) => ({ key, value, isItem: true }))
}
