import type { Rule } from '../core/agent.ts'
import type { ConfigSource, LoadedConfig } from './config-sources.ts'
import { configSchema } from './config-schema.ts'
import { withoutCredentials } from './without-credentials.ts'

export interface ConfigValue {
  /** The path, with dots: `limits.maxTurns`. */
  readonly key: string
  /** null if unset. URLs lack user, password and query values. */
  readonly value: unknown
  readonly source: Source
}

export type ConfigRule = Rule & { readonly source: Source }

type Source = 'default' | ConfigSource['name']

/** Every effective value with the last source that sets it. Rules of all sources apply, so each is listed. */
export function configValues({
  config,
  layers,
  sources,
}: Pick<LoadedConfig, 'config' | 'layers' | 'sources'>): {
  readonly values: readonly ConfigValue[]
  readonly permissions: readonly ConfigRule[]
} {
  const { $schema: _, permissions: __, ...shown } = configSchema().shape
  const values = Object.keys(shown)
    .flatMap((key) => leaves([key], config[key as keyof typeof shown]))
    .map(({ path, value }): ConfigValue => ({
      key: path.join('.'),
      value: shownValue(path, value),
      source: sources.findLast((source) => says(source.values, path))?.name ?? 'default',
    }))
  const permissions = layers.flatMap(({ name, rules }) =>
    rules.map((rule) => ({ ...rule, source: name as ConfigSource['name'] })),
  )
  return { values, permissions }
}

/** Never shows a key, because screens and logs may be seen by others. */
function shownValue([key, inner]: readonly string[], value: unknown): unknown {
  if (key === 'search' && inner === 'keys' && typeof value === 'string') return '(set)'
  return typeof value === 'string' ? withoutCredentials(value) : (value ?? null)
}

interface Leaf {
  readonly path: readonly string[]
  readonly value: unknown
}

function leaves(path: readonly string[], value: unknown): Leaf[] {
  if (!isObject(value) || Object.keys(value).length === 0) return [{ path, value }]
  return Object.entries(value).flatMap(([key, inner]) => leaves([...path, key], inner))
}

/** An object without keys sets nothing; nor does one whose content still awaits trust. */
function says(values: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return !isObject(values) || Object.keys(values).length > 0
  return isObject(values) && Object.hasOwn(values, key) && says(values[key], rest)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
