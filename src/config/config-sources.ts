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
  /** The rules of each source stay a layer of their own: the strictest of them wins. */
  readonly layers: readonly Layer[]
  /** Those of the files: of every program that works here. */
  readonly fileLayers: readonly Layer[]
  readonly warnings: readonly string[]
  /** In the order in which they are read: of two that say something about a key the later one counts. */
  readonly sources: readonly ConfigSource[]
  /** What is in force without the project: of the user's file and the defaults. */
  readonly base: Config
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

/** What the user's file says, and the project's; neither need exist. */
export interface ConfigFiles {
  readonly user: FileSource
  readonly project: FileSource
}

/** @throws OffshootError `config` for a file that cannot be read or understood. */
export function readConfigFiles(directory: string, env: Env): ConfigFiles {
  return {
    user: readSource(join(configHome(env), 'offshoot', 'config.jsonc')),
    project: readSource(join(directory, 'offshoot.jsonc')),
  }
}

/** What of the project's file is in force. */
export interface AdmittedProject {
  readonly source: ReadSource
  /** What narrowed in the file that a person trusted, where that was another one. */
  readonly trusted?: RawConfig | undefined
}

/**
 * User file, project file, environment, and what the program that uses the library says: later ones win, key by key.
 * @throws OffshootError `config`.
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
  return configOf(sources.map((source) => source.values).reduce(mergeValues, {}))
}
