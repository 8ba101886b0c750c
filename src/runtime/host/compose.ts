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
import type { NewId } from '../../core/ids.ts'
import type { Processes } from '../ownership/process-identity.ts'
import { createRuntime, type Runtime, type RuntimeOptions } from './runtime.ts'
import { authorOfProcess } from '../control/speaker.ts'
import { chooseSearch } from './choose-search-provider.ts'
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
import { readWorkspaceFacts } from '../../project/workspace-facts.ts'

/** What only tests give. */
export interface TestPorts {
  /** How tools reach the network; default: as the system does. */
  readonly network?: Network | undefined
  /** Makes the same ids and waits each time; default: the chance of the system. */
  readonly chance?: Chance | undefined
  /** The processes that leases know; default: those of this machine. */
  readonly processes?: Processes | undefined
  /** Opens the store of the user; default: `openSqliteFile`. */
  readonly openFile?: OpenFile | undefined
  /** Decorates the ports on which the runtime stands; default: they stay as they are. */
  readonly decorate?: ((ports: RuntimeOptions) => RuntimeOptions) | undefined
}

/** What decides where nothing else does. */
export interface Chance {
  readonly newId: NewId
  /** 0 ≤ x < 1. */
  readonly random: () => number
}

export interface ComposeOptions extends TestPorts {
  readonly directory: string
  readonly env: Env
  /** Default: as it was named before in each conversation, and no wider than `ask`. */
  readonly mode?: Mode | undefined
  /** What a program that uses the library brings. */
  readonly own?: OwnParts
  readonly tellUnknown?: TellUnknown | undefined
}

export interface OwnParts {
  /** Of the command line: rules of all that is driven here, a layer of the root like every other. */
  readonly rules?: readonly Rule[] | undefined
  /** Stands above files and environment. */
  readonly config?: RawConfig | undefined
  /** Whether all that the files of the directory ask for is granted, this once: the program decides. */
  readonly trusts?: ((state: TrustState) => boolean | Promise<boolean>) | undefined
  /** Default: the user's SQLite file. `warn` is told what is gone of it since it was used last. */
  readonly openStore?: ((warn: (text: string) => void) => Promise<Store>) | undefined
  /** Whether nobody else can know the store: then there are no leases. */
  readonly isAlone?: boolean
  readonly clock?: Clock | undefined
  /** With the other runtimes of this process; default: there is none. */
  readonly shared?: Shared | undefined
  /** What it makes of the tools that come with the program. */
  readonly tools?: (builtin: Registry) => Registry
  readonly agents?: readonly AgentDefinition[]
  readonly models?: OwnModels
}

/** A runtime on a directory with the store of this user: what the command line and the library work on. */
export interface Composed {
  readonly runtime: Runtime
  readonly store: Store
  readonly agents: AgentRegistry
  readonly workspace: Workspace
  readonly mode: Mode
  readonly loaded: LoadedConfig
  /** What the files of the directory ask for. */
  readonly trust: TrustState
  /** What is to be said about configuration, agent files and the store, one line each. */
  readonly warnings: readonly string[]
  readonly env: Env
  readonly fetch: Fetch
  readonly systemText: SystemText
  /** The value of OFFSHOOT_OWNER in the environment of every process that this runtime starts. */
  readonly owner: string
  /** To be closed at the end: no process that was started outlives that. */
  readonly guard: Guard
  readonly clock: Clock
  /** Absent where nobody else can know the store. */
  readonly ownership: Ownership | undefined
  readonly tools: Registry
  /** Masks what leaves the program. */
  readonly secrets: SecretMask
}

/** @throws OffshootError: configuration, store, or a directory that cannot be read. */
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
  const scripts = grantedScripts(trust.requests)
  const { search, tools } = toolsOf(loaded.config)
  const { skills } = await findSkills(workspace.root)
  const owner = randomUUID()
  const { guard, cells, notes } = await confine(workspace.root, { loaded, env, owner, rules: own.rules })
  const file = join(dataHome(env), 'offshoot.db')
  const { store, losses } = await opened(own, openFile, { file, now: clock.now })
  const secrets = secretMask(env, Object.values(loaded.config.search?.keys ?? {}))
  const fetch = createFetch()
  const ownership = own.isAlone ? undefined : new Ownership({ store, clock, owner, processes })
  const about = { env, fetch, clock, config: loaded.config, directory: workspace.root, scripts }
  const ports = decorate({
    store,
    clock,
    newId: chance?.newId ?? randomIds(clock),
    random: chance?.random ?? Math.random,
    tools,
    agents,
    resolveModel: models.resolver(about),
    smallModelOf: (id) => smallModel(id, loaded.config.smallModel ?? models.small(id)),
    config: loaded.config,
    rootLayers: [...loaded.layers, ofCommandLine(own), modeLayer(mode)],
    namedMode,
    speaker: authorOfProcess(store, env),
    owner,
    tellUnknown,
    ...(ownership && { ownership }),
    shared: own.shared,
    guard,
    cells,
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
    systemText: systemTextOf(workspace, skills, guard),
    owner,
    guard,
    clock,
    ownership: ports.ownership,
    tools: ports.tools,
    secrets,
  }
}

function ofCommandLine({ rules = [] }: OwnParts): Layer {
  return { name: 'command line', rules }
}

/** `losses`: what is gone of a store since it was used last. */
type OpenFile = (
  options: Pick<Parameters<typeof openSqliteFile>[0], 'file' | 'now' | 'warn'>,
) => Promise<Store>

async function opened(own: OwnParts, openFile: OpenFile, options: Parameters<OpenFile>[0]) {
  const losses: string[] = []
  const warn = (text: string) => void losses.push(text)
  const store = await (own.openStore?.(warn) ?? openFile({ ...options, warn }))
  return { store, losses }
}

/** A store of the caller has no file of ours. */
function sizesOf(own: OwnParts, file: string, { config }: Pick<LoadedConfig, 'config'>): readonly string[] {
  return own.openStore ? [] : sizeWarnings(file, config)
}

/** In the order in which they are said. */
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

/** What a program grants is what it was shown: files that change meanwhile get nothing of it. */
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

/** What a branch is told of its directory is as it was when it began; branches that begin together look once. */
function systemTextOf({ root }: Workspace, skills: readonly Skill[], guard: Guard): SystemText {
  const known = new Map<string, WorkspaceFacts>()
  const looking = new Map<string, Promise<void>>()
  const look = async (directory: string) => {
    const facts = readWorkspaceFacts(directory, root)
    const { vcs } = facts
    const state = vcs && (await readVcsState(directory, guard))
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
  return Object.assign(text, { prepare })
}
