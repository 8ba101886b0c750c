import type { RawConfig } from './config-file.ts'

/** Merges key by key; the upper source wins. Lists are not joined. */
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
