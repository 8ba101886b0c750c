import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { AgentRegistry } from '../../agents/registry.ts'
import { findSkills, skillsOf, type Skill } from '../../agents/skills.ts'
import { systemPrompt } from '../../agents/system-prompt.ts'
import type { WorkspaceFacts } from '../../core/workspace-facts.ts'
import type { AgentDefinition, Rule } from '../../core/agent.ts'
import type { Clock } from '../../core/clock.ts'
import type { SecretMask } from '../../core/secrets/mask.ts'
import { smallModel } from '../../model/models-and-prices.ts'
import { createFetch, type Fetch } from '../../model/fetch.ts'
import { OwnModels } from '../../model/custom-models.ts'
import type { Mode } from '../../permissions/modes.ts'
import { modeLayer } from '../../permissions/modes.ts'
import type { Layer } from '../../permissions/types.ts'
import { openSqliteFile } from '../../store/sqlite/open.ts'
import type { Store } from '../../store/port.ts'
import type { Confinement } from '../../tools/cell/confinement.ts'
import { builtinTools } from '../../tools/builtin-tools.ts'
import { createRegistry, type Registry } from '../../tools/registry.ts'
import type { Guard } from '../../exec/start-guard.ts'
import { systemClock } from '../../exec/system-clock.ts'
import type { Network } from '../../tools/web/network.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import type { Workspace } from '../../tools/port.ts'
import { agentWarnings } from '../../project/agent-sources.ts'
import { randomIds } from '../log/new-id.ts'
import type { TellUnknown } from '../run/recovered-run.ts'
import { Ownership } from '../ownership/leases.ts'
import type { LoadedConfig } from '../../config/config-sources.ts'
import { dataHome, ownDirectories, type Env } from '../../config/homes.ts'
import type { RawConfig } from '../../config/config-file.ts'
import type { Config } from '../../config/config-schema.ts'
import type { ConversationId, NewId } from '../../core/ids.ts'
import type { SandboxSetting } from '../../config/sandbox-setting.ts'
import type { Processes } from '../ownership/process-identity.ts'
import { createRuntime, type Runtime, type RuntimeOptions } from './runtime.ts'
import { authorOfProcess } from '../control/speaker.ts'
import { chooseSearch } from './choose-search-provider.ts'
import { confinementOf, keptSandbox, type ConfinedBy } from '../authority/kept-sandbox.ts'
import { confine } from './confine.ts'
import type { SystemAbout, SystemText } from '../context/system-text.ts'
import { readVcsState } from '../../project/vcs-state.ts'
import { secretMask } from '../../config/known-secrets.ts'
import type { Shared } from './slots-and-gates.ts'
import { sizeWarnings } from './size-warnings.ts'
import {
  heldBack,
  loadProject,
  trustWarnings,
  type Project,
  type ProjectOptions,
  type TrustState,
} from '../../project/project.ts'
import type { IsGranted } from '../../trust/trust-request.ts'
import { grantedScripts } from '../../trust/model-scripts.ts'
import { exposedAgents } from '../authority/exposed-agents.ts'
import { findNotesFor, readWorkspaceFacts } from '../../project/workspace-facts.ts'

/** Options for tests. */
export interface TestPorts {
  /** Network access of tools; default: the system's. */
  readonly network?: Network | undefined
  /** Makes ids and waits reproducible; default: the system's random source. */
  readonly chance?: Chance | undefined
  /** The processes that leases see; default: those of this machine. */
  readonly processes?: Processes | undefined
  /** Opens the user's store; default: `openSqliteFile`. */
  readonly openFile?: OpenFile | undefined
  /** Decorates the ports of the runtime; default: unchanged. */
  readonly decorate?: ((ports: RuntimeOptions) => RuntimeOptions) | undefined
}

/** Defaults for decisions that no other source makes. */
export interface Chance {
  readonly newId: NewId
  /** 0 ≤ x < 1. */
  readonly random: () => number
}

export interface ComposeOptions extends TestPorts {
  readonly directory: string
  readonly env: Env
  /** Default: each conversation's stored mode, but at most `ask`. */
  readonly mode?: Mode | undefined
  /** Agents and tools of a program that uses the library. */
  readonly own?: OwnParts
  readonly tellUnknown?: TellUnknown | undefined
}

export interface OwnParts {
  /** Rules from the command line: a layer of the root for everything driven here. */
  readonly rules?: readonly Rule[] | undefined
  /** Overrides files and environment. */
  readonly config?: RawConfig | undefined
  /** Whether the program grants everything that the files of the directory ask for, for this runtime only. */
  readonly trusts?: ((state: TrustState) => boolean | Promise<boolean>) | undefined
  /** Default: the user's SQLite file. `warn` receives what the store lost since its last use. */
  readonly openStore?: ((warn: (text: string) => void) => Promise<Store>) | undefined
  /** Whether the store is private: then there are no leases. */
  readonly isAlone?: boolean
  readonly clock?: Clock | undefined
  /** Shared with the other runtimes of this process; default: unshared. */
  readonly shared?: Shared | undefined
  /** Wraps the built-in tools. */
  readonly tools?: (builtin: Registry) => Registry
  readonly agents?: readonly AgentDefinition[]
  readonly models?: OwnModels
}

/** A runtime on a directory with the user's store, for the command line and the library. */
export interface Composed {
  readonly runtime: Runtime
  readonly store: Store
  readonly agents: AgentRegistry
  readonly workspace: Workspace
  readonly mode: Mode
  readonly loaded: LoadedConfig
  /** Requests of the directory's files. */
  readonly trust: TrustState
  /** Warnings about configuration, agent files and the store, one line each. */
  readonly warnings: readonly string[]
  readonly env: Env
  readonly fetch: Fetch
  readonly systemText: SystemText
  /** The value of OFFSHOOT_OWNER in the environment of every process that this runtime starts. */
  readonly owner: string
  /** Close it at the end: then no started process outlives the runtime. */
  readonly guard: Guard
  readonly clock: Clock
  /** Absent for a private store. */
  readonly ownership: Ownership | undefined
  readonly tools: Registry
  /** What confines the commands of a conversation; undefined: nothing is to confine them. */
  readonly confinementOf: (id: ConversationId) => Confinement | undefined
  /** What a conversation keeps although this process has less. */
  readonly keptSandbox: (id: ConversationId) => SandboxSetting | undefined
  /** Masks secrets in all output. */
  readonly secrets: SecretMask
}

/** @throws OffshootError: configuration, store, or an unreadable directory. */
export async function compose({
  directory,
  env,
  mode: namedMode,
  own = {},
  tellUnknown,
  network,
  chance,
  processes,
  openFile = openSqliteFile,
  decorate = (ports) => ports,
}: ComposeOptions): Promise<Composed> {
  const workspace = createWorkspace(directory, { ownDirectories: ownDirectories(env) })
  const mode = namedMode ?? 'ask'
  const { clock = systemClock, models = new OwnModels() } = own
  const toolsOf = (config: Config) => toolsWith(config, { env, network, own })
  const project = await trustedProject(workspace.root, env, own, (config) => toolsOf(config).tools)
  const { loaded, agents, trust } = project
  const { search, tools } = toolsOf(loaded.config)
  const owner = randomUUID()
  const { guard, notes, ...confined } = await confine(workspace, { loaded, env, owner, own, network })
  const file = join(dataHome(env), 'offshoot.db')
  const { store, losses } = await opened(own, openFile, { file, now: clock.now })
  const secrets = secretMask(env, Object.values(loaded.config.search?.keys ?? {}))
  const fetch = createFetch()
  const ownership = own.isAlone ? undefined : new Ownership({ store, clock, owner, processes })
  const about = { env, fetch, clock, config: loaded.config, directory: workspace.root }
  const ports = decorate({
    store,
    clock,
    newId: chance?.newId ?? randomIds(clock),
    random: chance?.random ?? Math.random,
    tools,
    agents,
    resolveModel: models.resolver({ ...about, scripts: grantedScripts(trust.requests) }),
    smallModelOf: (id) => smallModel(id, loaded.config.smallModel ?? models.small(id)),
    config: loaded.config,
    rootLayers: [...loaded.layers, ofCommandLine(own), modeLayer(mode)],
    sharedLayers: loaded.fileLayers,
    namedMode,
    speaker: authorOfProcess(store, env),
    owner,
    tellUnknown,
    ...(ownership && { ownership }),
    shared: own.shared,
    guard,
    ...confined,
    secrets,
  })
  return {
    runtime: createRuntime(ports),
    store: ports.store,
    agents,
    workspace,
    mode,
    loaded,
    trust,
    warnings: [...losses, ...notes, ...warningsOf(project, search, tools), ...sizesOf(own, file, loaded)],
    env,
    fetch,
    systemText: systemTextOf(workspace, (await findSkills(workspace.root)).skills, guard),
    owner,
    guard,
    clock,
    ownership: ports.ownership,
    tools: ports.tools,
    ...sandboxes(ports),
    secrets,
  }
}

function sandboxes(ports: ConfinedBy): Pick<Composed, 'confinementOf' | 'keptSandbox'> {
  return { confinementOf: (id) => confinementOf(ports, id), keptSandbox: (id) => keptSandbox(ports, id) }
}

function ofCommandLine({ rules = [] }: OwnParts): Layer {
  return { name: 'command line', rules }
}

/** `losses`: what a store lost since its last use. */
type OpenFile = (
  options: Pick<Parameters<typeof openSqliteFile>[0], 'file' | 'now' | 'warn'>,
) => Promise<Store>

async function opened(own: OwnParts, openFile: OpenFile, options: Parameters<OpenFile>[0]) {
  const losses: string[] = []
  const warn = (text: string) => void losses.push(text)
  const store = await (own.openStore?.(warn) ?? openFile({ ...options, warn }))
  return { store, losses }
}

/** A caller's store has no file of ours. */
function sizesOf(own: OwnParts, file: string, { config }: Pick<LoadedConfig, 'config'>): readonly string[] {
  return own.openStore ? [] : sizeWarnings(file, config)
}

/** In order of output. */
function warningsOf(
  { loaded, found, agents, trust, warnings }: Project,
  search: ReturnType<typeof chooseSearch>,
  tools: Registry,
): string[] {
  return [
    ...trustWarnings(trust),
    ...loaded.warnings,
    ...(search.broken ? [`websearch: ${search.why}`] : []),
    ...agentWarnings(found),
    ...warnings,
    ...exposedAgents(agents, tools).notes,
  ]
}

interface ToolParts extends Pick<ComposeOptions, 'env' | 'network'> {
  readonly own: OwnParts
}

function toolsWith(config: Config, { env, network, own }: ToolParts) {
  const search = chooseSearch(config, env)
  const builtin = createRegistry(builtinTools({ search: search.settings, network }))
  return { search, tools: own.tools?.(builtin) ?? builtin }
}

/** A program grants exactly what it was shown: files that change in the meantime get nothing. */
async function trustedProject(
  directory: string,
  env: Env,
  { config: program, agents: own, trusts }: OwnParts,
  toolsOf: ProjectOptions['toolsOf'],
): Promise<Project> {
  const options = { program, own, ...(toolsOf ? { toolsOf } : {}) }
  const project = await loadProject(directory, env, options)
  const shown = project.trust
  if (!trusts || heldBack(shown).length === 0 || !(await trusts(shown))) return project
  const alsoGranted: IsGranted = (request) =>
    shown.requests.some(({ file, identity }) => file === request.file && identity === request.identity)
  return await loadProject(directory, env, { ...options, alsoGranted })
}

/** A branch sees its directory as it was at its start; branches that start together read it once. */
function systemTextOf({ root }: Workspace, skills: readonly Skill[], guard: Guard): SystemText {
  const known = new Map<string, WorkspaceFacts>()
  const looking = new Map<string, Promise<void>>()
  const look = async (directory: string) => {
    const facts = readWorkspaceFacts(directory, root)
    const { vcs } = facts
    const state = vcs && (await readVcsState(directory, guard, root))
    known.set(directory, state ? { ...facts, vcs: { ...vcs, state } } : facts)
  }
  const text = ({ directory, maxTurns, receipts = [], ...about }: SystemAbout): string => {
    const facts = known.get(directory ?? root) ?? readWorkspaceFacts(directory ?? root, root)
    const workspace = { ...facts, receipts }
    const own = skillsOf(about.agent, skills)
    return systemPrompt({ ...about, workspace, limits: { maxTurns }, skills: own })
  }
  const prepare = (directory: string | null): Promise<void> => {
    const at = directory ?? root
    const under = looking.get(at) ?? look(at).finally(() => looking.delete(at))
    looking.set(at, under)
    return under
  }
  const notesFor = (file: string, directory: string | null) => findNotesFor(file, directory ?? root, root)
  return Object.assign(text, { prepare, findNotesFor: notesFor })
}
