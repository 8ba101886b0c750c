import { OffshootError } from '../core/errors.ts'
import { hasRunMark, RUN_MARKS } from '../exec/run-marks.ts'
import { checkConfig, checkDepth, type RawConfig } from './config-file.ts'
import type { Config } from './config-schema.ts'
import { ofEnvironment, type ReadSource } from './read-source.ts'
import { narrowEnvironment } from './narrow-environment.ts'
import type { Env } from './homes.ts'

/** Our variables that are not configuration. */
const RESERVED: readonly string[] = ['OFFSHOOT_HOME', 'OFFSHOOT_CALL_ID', ...RUN_MARKS]

/** The configuration from the environment. `below`: the effective one without it. @throws OffshootError `config`. */
export function environmentSource(env: Env, below: () => Config): ReadSource {
  return ofCaller(env, ofEnvironment(readEnvironment(env)), below)
}

/** In a process that a run started, an agent controls the environment: it can only restrict. */
function ofCaller(env: Env, source: ReadSource, below: () => Config): ReadSource {
  if (!source.found || !hasRunMark(env)) return source
  const { values, dropped } = narrowEnvironment(source.values, below())
  const warnings = dropped.map(
    (key) =>
      `environment: in a process that a run started, ${key} can only restrict; its other settings are ignored`,
  )
  return { ...source, values, agents: [], warnings: [...source.warnings, ...warnings] }
}

/** Deeper than any key; readers recurse for each level. */
const MAX_LEVELS = 64

/** `OFFSHOOT_LIMITS__MAX_TURNS=5` is limits.maxTurns. */
function readEnvironment(env: Env): ReadSource {
  const names = Object.keys(env).filter((name) => name.startsWith('OFFSHOOT_') && !RESERVED.includes(name))
  const values: RawConfig = {}
  const origin = new Map<string, string>()
  for (const name of names.sort()) {
    const path = name.slice('OFFSHOOT_'.length).split('__').map(camelCase)
    if (path.length > MAX_LEVELS)
      throw new OffshootError('config', `environment ${name}: nested deeper than ${MAX_LEVELS} levels`)
    origin.set(path.join('.'), name)
    if (!setAt(values, path, parseValue(env[name] ?? '', name)))
      throw new OffshootError(
        'config',
        `environment ${name}: it sets a part of ${originBelow(origin, path)}, which is also set as a whole; set only its parts`,
      )
  }
  const where = (path: readonly PropertyKey[]) =>
    `environment ${origin.get(path.join('.')) ?? originBelow(origin, path)}`
  return { found: names.length > 0, ...checkConfig(values, where) }
}

function originBelow(origin: ReadonlyMap<string, string>, path: readonly PropertyKey[]): string {
  const prefix = path.join('.')
  return [...origin].find(([key]) => key.startsWith(prefix) || prefix.startsWith(key))?.[1] ?? 'OFFSHOOT_…'
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_([a-z0-9])/g, (_, char: string) => char.toUpperCase())
}

/** False where a part of the path has a value without parts, which would be lost. */
function setAt(values: RawConfig, path: readonly string[], value: unknown): boolean {
  const [name, ...rest] = path as [string, ...string[]]
  if (rest.length === 0) {
    values[name] = value
    return true
  }
  const inner = Object.hasOwn(values, name) ? values[name] : (values[name] = {})
  return typeof inner === 'object' && inner !== null && setAt(inner as RawConfig, rest, value)
}

function parseValue(text: string, name: string): unknown {
  checkDepth(text, () => `environment ${name}`)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
