import { join } from 'node:path'
import type { Rule } from '../core/agent.ts'
import type { Stranger } from '../core/rules/unknown-tool.ts'
import type { Layer } from '../permissions/types.ts'
import type { RawConfig } from './config-file.ts'
import { configSchema, defaultConfig, type Config } from './config-schema.ts'
import { readProgram, readSource, type FileSource, type ReadSource } from './read-source.ts'
import type { NamedAgent } from './unknown-agents.ts'
import { environmentSource } from './environment-source.ts'
import { configHome, type Env } from './homes.ts'
import { mergeValues } from './merge-values.ts'

export interface LoadedConfig {
  readonly config: Config
  /** The rules of each source form their own layer: the strictest wins. */
  readonly layers: readonly Layer[]
  /** Those of the files: of every program that works here. */
  readonly fileLayers: readonly Layer[]
  readonly warnings: readonly string[]
  /** In reading order: later sources override earlier ones. */
  readonly sources: readonly ConfigSource[]
  /** The configuration without the project: the user's file and the defaults. */
  readonly base: Config
  /** Named tools that only a runtime can know; a caller with a runtime calls `requireKnown`. */
  readonly strangers: readonly Stranger[]
  /** Agents named by the sources, granted or not; a caller that knows all agents calls `requireAgents`. */
  readonly named: { readonly user: readonly NamedAgent[]; readonly here: readonly NamedAgent[] }
}

export interface ConfigSource {
  readonly name: 'user config' | 'project config as trusted' | 'project config' | 'environment' | 'program'
  /** Path of the file; null: not a file. */
  readonly file: string | null
  /** Whether it sets anything. */
  readonly found: boolean
  /** Its values, without unknown keys. */
  readonly values: RawConfig
}

/** The user's file and the project's; neither need exist. */
export interface ConfigFiles {
  readonly user: FileSource
  readonly project: FileSource
}

/** @throws OffshootError `config` for an unreadable or invalid file. */
export function readConfigFiles(directory: string, env: Env): ConfigFiles {
  return {
    user: readSource(join(configHome(env), 'offshoot', 'config.jsonc')),
    project: readSource(join(directory, 'offshoot.jsonc')),
  }
}

/** The granted part of the project's file. */
export interface AdmittedProject {
  readonly source: ReadSource
  /** Restrictions of the trusted version of the file, if that was another one. */
  readonly trusted?: RawConfig | undefined
}

/**
 * Merges user file, project file, environment, and the options of a program that uses the library: later ones win, key
 * by key. @throws OffshootError `config`.
 */
export function combineConfig(
  { user, project: { file } }: ConfigFiles,
  { source: project, trusted }: AdmittedProject,
  env: Env,
  program?: RawConfig,
): LoadedConfig {
  const files = [
    { name: 'user config', ...user },
    ...(trusted ? [asTrusted(file, trusted)] : []),
    { name: 'project config', ...project, file },
  ] as const
  const read = [
    ...files,
    { name: 'environment', file: null, ...environmentSource(env, () => merged(files)) },
    ...(program ? [{ name: 'program', file: null, ...readProgram(program) } as const] : []),
  ] as const
  return {
    config: merged(read),
    base: configOf(user.values),
    layers: read.map(layerOf),
    fileLayers: files.map(layerOf),
    warnings: read.flatMap((source) => source.warnings),
    sources: read.map(({ name, file, found, values }) => ({ name, file, found, values })),
    strangers: read.flatMap((source) => source.strangers),
    named: {
      user: user.agents,
      here: read.filter(({ name }) => name !== 'user config').flatMap((source) => source.agents),
    },
  }
}

function layerOf({ name, values }: { readonly name: string; readonly values: RawConfig }): Layer {
  return { name, rules: rulesIn(values) }
}

function rulesIn({ permissions }: RawConfig): readonly Rule[] {
  return permissions === undefined ? [] : configSchema().shape.permissions.parse(permissions)
}

/**
 * Restrictions of the trusted version of the project's file: a separate source, so that its rules form their own layer.
 */
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
  return configOf(sources.map((source) => source.values).reduce(mergeValues, {}))
}
