import type { RawConfig } from './config-file.ts'

/** Key by key: of two that say something about a key the one above counts. Lists are not joined. */
export function mergeValues(below: RawConfig, above: RawConfig): RawConfig {
  const result: RawConfig = { ...below }
  for (const [key, value] of Object.entries(above)) {
    const old = result[key]
    result[key] = isObject(old) && isObject(value) ? mergeValues(old, value) : value
  }
  return result
}

function isObject(value: unknown): value is RawConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
