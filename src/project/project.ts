import { builtinAgents } from '../agents/builtin-agents.ts'
import type { AgentRegistry } from '../agents/registry.ts'
import type { AgentDefinition } from '../core/agent.ts'
import type { Registry } from '../tools/registry.ts'
import { createWorkspace } from '../tools/workspace.ts'
import { findAgents, type FoundAgents } from './agent-sources.ts'
import { loadConfig, type JudgedConfig } from './load-config.ts'
import type { Env } from '../config/homes.ts'
import type { RawConfig } from '../config/config-file.ts'
import type { Config } from '../config/config-schema.ts'
import { configuredAgents } from '../config/agent-settings.ts'
import { knownTools, requireKnown } from './known-tools.ts'
import {
  broadFirst,
  digestOf,
  type AskedRequest,
  type IsGranted,
  type TrustRequest,
} from '../trust/trust-request.ts'
import { readTrusted } from '../trust/read-trust.ts'
import { countText, shortened } from '../trust/request-text.ts'
import { namesOfFiles, requireAgents } from '../config/unknown-agents.ts'

/** Requests of a directory's files. */
export interface TrustState {
  /** Its real path. */
  readonly directory: string
  readonly requests: readonly AskedRequest[]
  /** Identifies exactly what was shown; a grant must send it back. */
  readonly digest: string
  /** Why the user's record is ignored; null: it is used, or there is none. */
  readonly problem: string | null
  /** Changes with every change of the user's grants here. */
  readonly version: string
}

/** The effective configuration and agents of a directory. */
export interface Project {
  readonly loaded: JudgedConfig
  readonly found: FoundAgents
  /** Every agent, with its configuration applied. */
  readonly agents: AgentRegistry
  readonly trust: TrustState
  /** Warnings about configured agents, one line each. */
  readonly warnings: readonly string[]
}

export interface ProjectOptions {
  /** Options of a program that uses the library. */
  readonly program?: RawConfig | undefined
  /** Agents of such a program, which may add more for each conversation. */
  readonly own?: readonly AgentDefinition[] | undefined
  /** The tools of a runtime with this configuration. Default: the built-in ones. */
  readonly toolsOf?: (config: Config) => Pick<Registry, 'list'>
  /** Grants more than the user's record. */
  readonly alsoGranted?: IsGranted
}

/** `directory`: a real path. @throws OffshootError `config`, also for a rule with an unknown tool. */
export async function loadProject(
  directory: string,
  env: Env,
  { program, own, toolsOf, alsoGranted = () => false }: ProjectOptions = {},
): Promise<Project> {
  const { isGranted, pin, problem, version } = readTrusted(directory, env)
  const decide = (request: TrustRequest) => isGranted(request) || alsoGranted(request)
  const loaded = loadConfig(directory, env, program, { isGranted: decide, pin })
  const { config, sources, strangers } = loaded
  const tools = toolsOf?.(config)
  const mine = knownTools({ tools, agents: [...(own ?? []), ...Object.values(config.agents)] })
  const found = await findAgents(directory, env, loaded, { isGranted: decide, tools: mine })
  const given = [...(own ?? []), ...found.agents, ...builtinAgents()]
  if (!own) requireAgents(loaded.named, [...given.map(({ name }) => name), ...namesOfFiles(found)])
  const { agents, warnings } = configuredAgents(given, sources)
  requireKnown(strangers, knownTools({ tools, agents: agents.list(), found }))
  const requests = broadFirst([...loaded.requests, ...found.requests])
  const digest = digestOf(directory, requests)
  return { loaded, found, agents, warnings, trust: { directory, requests, digest, problem, version } }
}

/** The real path of a directory, which grants refer to. @throws OffshootError `usage`. */
export function rootOf(directory: string): string {
  return createWorkspace(directory).root
}

/** Ungranted requests. */
export function heldBack({ requests }: Pick<TrustState, 'requests'>): readonly AskedRequest[] {
  return requests.filter(({ granted }) => !granted)
}

/** A request without fields that only the record needs. */
export function shownRequest({ file, kind, key, text, granted }: AskedRequest) {
  return { file, kind, key: shortened(key), text, granted }
}

const NAMED = 3
const MAX_CHARS = 80

/** One line about ungranted requests, for the person who starts a run there. */
export function trustWarnings(state: TrustState): string[] {
  const { directory, problem } = state
  const held = heldBack(state)
  if (held.length === 0) return problem === null ? [] : [problem]
  const named = held.slice(0, NAMED).map(({ file, text }) => `${file} ${short(text)}`)
  const more = held.length > NAMED ? [`${held.length - NAMED} more`] : []
  const what = `${countText(held.length)} of the files in ${directory} ${held.length === 1 ? 'is' : 'are'} not granted`
  const why = problem === null ? '' : ` (${problem})`
  return [
    `${what}${why}: ${[...named, ...more].join('; ')}; to review and grant: offshoot trust ${directory}`,
  ]
}

function short(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1)}…` : text
}
