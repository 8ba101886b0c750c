import type { Rule } from '../core/agent.ts'
import type { RawConfig } from '../config/config-file.ts'
import { configSchema } from '../config/config-schema.ts'
import { narrowConfig, type ConfigFile } from './narrow-config.ts'
import { canonical, type AskedRequest, type IsGranted, type Source } from './trust-request.ts'
import { requestText, requestedRuleText, valueText } from './request-text.ts'

/**
 * What narrowed in a project's configuration when a person trusted it. It stays in force when the file changes, until the
 * person trusts the file again: an agent that may write there takes away nothing that binds it.
 */
export interface Pin {
  /** Of the file as it was trusted. */
  readonly sha256: string
  /** Those that ask or deny. */
  readonly rules: readonly Rule[]
  readonly values: RawConfig
}

/** What a person has granted for the configuration of a directory. */
export interface Grants {
  readonly isGranted: IsGranted
  readonly pin?: Pin | undefined
}

export const NO_GRANTS: Grants = { isGranted: () => false }

const NARROWING = ['limits', 'delegation', 'recovery', 'agents']

/** What narrows in a file as it is now. */
export function pinOf(project: RawConfig, user: RawConfig, source: ConfigFile): Pin {
  const { permissions, ...others } = narrowConfig(project, user, source, () => false).values
  const values = Object.fromEntries(Object.entries(others).filter(([key]) => NARROWING.includes(key)))
  return { sha256: source.sha256, rules: (permissions ?? []) as readonly Rule[], values }
}

/** What of it the file says no more, as requests; they are granted by trusting the file again. */
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
  /** Of a list that is still set. */
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

/** By what they say: a list that is as long as before can hold something else. */
function lostItems(key: string, pinned: readonly unknown[], now: unknown): Lost[] {
  const said = new Set((Array.isArray(now) ? now : []).map(canonical))
  return pinned.filter((item) => !said.has(canonical(item))).map((value) => ({ key, value, isItem: true }))
}
