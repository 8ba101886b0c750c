import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { errorMessage, OffshootError } from '../core/errors.ts'
import { hasRunMark, RUN_MARKS } from '../exec/lineage.ts'
import type { Layer } from '../permissions/types.ts'
import type { Stranger } from '../core/rules/known-tools.ts'
import {
  checkConfig,
  checkDepth,
  parseConfigFile,
  type CheckedConfig,
  type RawConfig,
} from './config-file.ts'
import { configSchema, type Config } from './config-schema.ts'
import { defaultConfig } from './default-config.ts'
import type { NamedAgent } from './settings/named-agents.ts'
import { narrowEnvironment } from './person/narrow-environment.ts'
import { narrowConfig } from './trust/config-requests.ts'
import { droppedRequests, NO_GRANTS, pinOf, type Grants, type Pin } from './trust/pin.ts'
import { sha256, type AskedRequest } from './trust/request.ts'

export type Env = Readonly<Record<string, string | undefined>>

export interface LoadedConfig {
  readonly config: Config
  /** The rules of each source stay a layer of their own: the strictest of them wins (permissions.md). */
  readonly layers: readonly Layer[]
  readonly warnings: readonly string[]
  /** In the order in which they are read: of two that say something about a key the later one counts. */
  readonly sources: readonly ConfigSource[]
  /** What the project's file asks for; what is not granted of it is in no other field (docs/trust.md). */
  readonly requests: readonly AskedRequest[]
  /** What is in force without the project: of the user's file and the defaults. */
  readonly base: Config
  /** What narrows in the project's file; null where there is none. */
  readonly pin: Pin | null
  /** Named tools that only a runtime can know; a caller that has one calls `requireKnown`. */
  readonly strangers: readonly Stranger[]
  /** Agents that the sources name, whatever of it is in force; a caller that knows all agents calls `requireAgents`. */
  readonly named: { readonly user: readonly NamedAgent[]; readonly here: readonly NamedAgent[] }
}

export interface ConfigSource {
  readonly name: 'user config' | 'project config as trusted' | 'project config' | 'environment' | 'program'
  /** The path of the file; null for what is no file. */
  readonly file: string | null
  /** Whether it says anything at all. */
  readonly found: boolean
  /** What it says, without the keys that nobody knows. */
  readonly values: RawConfig
}

/** Variables that are ours but are no configuration. */
const RESERVED: readonly string[] = ['OFFSHOOT_HOME', 'OFFSHOOT_CALL_ID', ...RUN_MARKS]

/**
 * User file, project file, environment, and what the program that uses the library says: later ones win, key by key. Of
 * the project's file counts what only narrows, and what is granted. @throws OffshootError `config`.
 */
export function loadConfig(
  directory: string,
  env: Env,
  program?: RawConfig,
  grants: Grants = NO_GRANTS,
): LoadedConfig {
  const [user, project] = configFiles(directory, env)
  const ofUser = readSource(user)
  const { requests, pin, trusted, ...ofProject } = readProject(project, ofUser.values, grants)
  const files = [
    { name: 'user config', file: user, ...ofUser },
    ...(trusted ? [asTrusted(project, trusted)] : []),
    { name: 'project config', file: project, ...ofProject },
  ] as const
  const read = [
    ...files,
    {
      name: 'environment',
      file: null,
      ...ofCaller(env, without(ENVIRONMENT, readEnvironment(env)), () => merged(files)),
    },
    ...(program ? [{ name: 'program', file: null, ...readProgram(program) } as const] : []),
  ] as const
  return {
    config: merged(read),
    base: configOf(ofUser.values),
    requests,
    pin,
    layers: read.map(({ name, values }) => ({
      name,
      rules:
        values['permissions'] === undefined
          ? []
          : configSchema().shape.permissions.parse(values['permissions']),
    })),
    warnings: read.flatMap((source) => source.warnings),
    sources: read.map(({ name, file, found, values }) => ({ name, file, found, values })),
    strangers: read.flatMap((source) => source.strangers),
    named: {
      user: ofUser.agents,
      here: read.filter(({ name }) => name !== 'user config').flatMap((source) => source.agents),
    },
  }
}

/** What narrowed in the project's file when it was trusted: its own source, so that its rules stay a layer. */
function asTrusted(file: string, values: RawConfig) {
  return {
    name: 'project config as trusted',
    file,
    found: false,
    values,
    warnings: [],
    strangers: [],
    agents: [],
  } as const
}

function configOf(values: RawConfig): Config {
  return Object.keys(values).length > 0 ? configSchema().parse(values) : defaultConfig()
}

function merged(sources: readonly ReadSource[]): Config {
  return configOf(sources.map((source) => source.values).reduce(merge, {}))
}

/** In a process that a run has started an agent sets the environment: it narrows, and nothing else. */
function ofCaller(env: Env, source: ReadSource, below: () => Config): ReadSource {
  if (!source.found || !hasRunMark(env)) return source
  const { values, dropped } = narrowEnvironment(source.values, below().limits)
  const warnings = dropped.map(
    (key) =>
      `environment: ${key} only narrows in a process that a run has started; the rest of it is ignored`,
  )
  return { ...source, values, agents: [], warnings: [...source.warnings, ...warnings] }
}

/** The user's file and the project's; neither need exist. */
function configFiles(directory: string, env: Env): readonly [user: string, project: string] {
  return [join(configHome(env), 'offshoot', 'config.jsonc'), join(directory, 'offshoot.jsonc')]
}

/** `$XDG_CONFIG_HOME`, or what stands for it. */
export function configHome(env: Env): string {
  return env['XDG_CONFIG_HOME'] || join(homeOf(env), '.config')
}

/** Where data lies: `$OFFSHOOT_HOME`, else `$XDG_DATA_HOME/offshoot`. */
export function dataHome(env: Env): string {
  return (
    env['OFFSHOOT_HOME'] || join(env['XDG_DATA_HOME'] || join(homeOf(env), '.local', 'share'), 'offshoot')
  )
}

export function homeOf(env: Env): string {
  const home = env['HOME'] || systemHome()
  if (home) return home
  throw new OffshootError('config', 'there is no home directory: HOME is not set, and this user has none', {
    hint: 'Set HOME, or OFFSHOOT_HOME and XDG_CONFIG_HOME, to directories of yours.',
  })
}

function systemHome(): string | undefined {
  try {
    return homedir()
  } catch {
    return undefined // a user whom the system does not know
  }
}

type ReadSource = Pick<ConfigSource, 'found'> & CheckedConfig

function readSource(file: string): ReadSource & { readonly text: string } {
  const text = readText(file)
  if (text === null) return { found: false, values: {}, warnings: [], strangers: [], agents: [], text: '' }
  return { found: true, ...parseConfigFile(text, file), text }
}

/** `trusted`: what narrowed in the file that was trusted, where that was another one. */
function readProject(file: string, user: RawConfig, { isGranted, pin: old }: Grants) {
  const { text, ...source } = readSource(file)
  const allowed = without(PROJECT, source)
  const about = { file: basename(file), sha256: sha256(text), root: dirname(file) }
  const pin = source.found ? pinOf(allowed.values, user, about) : null
  if (!old || old.sha256 === about.sha256)
    return { ...allowed, ...narrowConfig(allowed.values, user, about, isGranted), pin, trusted: undefined }
  const kept = narrowConfig(old.values, user, about, () => false).values
  const { values, requests } = narrowConfig(allowed.values, merge(user, kept), about, isGranted)
  const asked = [...requests, ...droppedRequests(old, allowed.values, about)]
  return { ...allowed, values, requests: asked, pin, trusted: { ...kept, permissions: old.rules } }
}

const MAX_BYTES = 1024 * 1024

/** null where there is no file. Nothing that blocks or never ends (a pipe, a device) is opened. */
function readText(file: string): string | null {
  let bytes: Buffer
  try {
    const stats = statSync(file)
    if (!stats.isFile()) throw new Error('it is not a file')
    if (stats.size > MAX_BYTES) throw new Error(`it has ${stats.size} bytes; at most ${MAX_BYTES} are read`)
    bytes = readFileSync(file)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw unreadable(file, errorMessage(error), error)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw unreadable(file, 'it is not UTF-8', error)
  }
}

function unreadable(file: string, why: string, cause: unknown): OffshootError {
  return new OffshootError('config', `${file} cannot be read: ${why}`, {
    hint: 'mend or remove the file',
    cause,
  })
}

/** Where keys are, and where they are sent: a project must not send the user's key to a server of its choice. */
const KEYS = ['baseUrls', 'search']
/** What gives an agent more than whoever starts it has. */
const AUTHORITY = ['delegations']

/** A source that may not say everything, and where the rest has to stand. */
interface Barred {
  readonly name: string
  readonly where: Readonly<Record<string, string>>
}

const PROJECT: Barred = {
  name: 'offshoot.jsonc',
  where: {
    ...Object.fromEntries(KEYS.map((key) => [key, 'the user config and the environment'])),
    ...Object.fromEntries(AUTHORITY.map((key) => [key, 'the user config'])),
  },
}
const ENVIRONMENT: Barred = {
  name: 'environment',
  where: Object.fromEntries(AUTHORITY.map((key) => [key, 'the user config'])),
}

function without({ name, where }: Barred, source: ReadSource): ReadSource {
  const entries = Object.entries(source.values)
  const barred = entries.filter(([key]) => Object.hasOwn(where, key))
  const rest = entries.filter(([key]) => !Object.hasOwn(where, key))
  const warnings = barred.map(
    ([key]) => `${name}: ${key} is read from ${where[key]} only; it is ignored here`,
  )
  return { ...source, values: Object.fromEntries(rest), warnings: [...source.warnings, ...warnings] }
}

/** No key is as deep; what reads the values calls itself for each level. */
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
    setAt(values, path, parseValue(env[name] ?? '', name))
  }
  const where = (path: readonly PropertyKey[]) =>
    `environment ${origin.get(path.join('.')) ?? originBelow(origin, path)}`
  return { found: names.length > 0, ...checkConfig(values, where) }
}

/** What is said in code and not known is a mistake there. */
function readProgram(program: RawConfig): ReadSource {
  const { warnings, ...checked } = checkConfig(program, () => 'config')
  if (warnings.length > 0)
    throw new OffshootError('config', warnings.join('; ').replaceAll('" is ignored', '"'))
  return { found: true, warnings, ...checked }
}

function originBelow(origin: ReadonlyMap<string, string>, path: readonly PropertyKey[]): string {
  const prefix = path.join('.')
  return [...origin].find(([key]) => key.startsWith(prefix) || prefix.startsWith(key))?.[1] ?? 'OFFSHOOT_…'
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_([a-z0-9])/g, (_, char: string) => char.toUpperCase())
}

function setAt(values: RawConfig, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path as [string, ...string[]]
  if (rest.length === 0) values[name] = value
  else {
    const inner = values[name]
    const next: RawConfig = typeof inner === 'object' && inner !== null ? (inner as RawConfig) : {}
    values[name] = next
    setAt(next, rest, value)
  }
}

function parseValue(text: string, name: string): unknown {
  checkDepth(text, () => `environment ${name}`)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function merge(below: RawConfig, above: RawConfig): RawConfig {
  const result: RawConfig = { ...below }
  for (const [key, value] of Object.entries(above)) {
    const old = result[key]
    result[key] = isObject(old) && isObject(value) ? merge(old, value) : value
  }
  return result
}

function isObject(value: unknown): value is RawConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
