import type { Config } from './config-schema.ts'
import type { RawConfig } from './config-file.ts'
import { namesNoMoreHosts, namesNoMorePorts } from './sandbox-schema.ts'
import { isNoLaxer } from './sandbox-setting.ts'

export interface Narrowed {
  readonly values: RawConfig
  /** The dropped keys. */
  readonly dropped: readonly string[]
}

/**
 * The restricting part of the environment of an agent's process: ask and deny rules, limits below the current ones, and a
 * stricter sandbox. The person's own variables do not reach such a process, so an agent has set all of these.
 */
export function narrowEnvironment(values: RawConfig, below: Pick<Config, 'limits' | 'sandbox'>): Narrowed {
  const kept: RawConfig = {}
  const dropped: string[] = []
  for (const [key, value] of Object.entries(values)) {
    const narrow = narrowPart(key, value, below)
    if (narrow.values !== undefined) kept[key] = narrow.values
    if (narrow.values === undefined || narrow.isLess) dropped.push(key)
  }
  return { values: kept, dropped }
}

interface Part {
  readonly values?: unknown
  readonly isLess?: boolean
}

function narrowPart(
  key: string,
  value: unknown,
  { limits, sandbox }: Pick<Config, 'limits' | 'sandbox'>,
): Part {
  if (key === 'permissions') return narrowRules(value)
  if (key === 'limits') return narrowLimits(value, limits)
  return key === 'sandbox' ? narrowSandbox(value, sandbox) : {}
}

function narrowSandbox(value: unknown, below: Config['sandbox']): Part {
  const entries = isObject(value) ? Object.entries(value) : []
  const values = entries.filter(([name, inner]) => isNarrower(name, inner, below))
  return { values: Object.fromEntries(values), isLess: values.length < entries.length }
}

function isNarrower(name: string, value: unknown, { mode, network, ports }: Config['sandbox']): boolean {
  if (name === 'network') return namesNoMoreHosts(value, network)
  if (name === 'ports') return namesNoMorePorts(value, ports)
  return name === 'mode' && isNoLaxer(value, mode)
}

function narrowRules(value: unknown): Part {
  const rules = Array.isArray(value) ? (value as readonly unknown[]) : []
  const values = rules.filter(
    (rule) => isObject(rule) && (rule['action'] === 'ask' || rule['action'] === 'deny'),
  )
  return { values, isLess: values.length < rules.length }
}

function narrowLimits(value: unknown, limits: Config['limits']): Part {
  const entries = isObject(value) ? Object.entries(value) : []
  const values = entries.filter(([name, limit]) => {
    const above = limits[name as keyof Config['limits']]
    return typeof limit === 'number' && (above === null || limit < above)
  })
  return { values: Object.fromEntries(values), isLess: values.length < entries.length }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
