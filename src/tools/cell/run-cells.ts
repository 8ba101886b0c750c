import {
  NOTHING_MORE,
  type CommandSandbox,
  type SandboxForce,
  type Widening,
} from '../../core/command-sandbox.ts'
import { cellEnvironment } from '../../exec/sandbox/cell-environment.ts'
import { startCell, type Cell } from '../../exec/sandbox/start-cell.ts'
import { keepAlive } from '../../exec/keep-alive.ts'
import { runProcess, type ProcessOptions } from '../../exec/run-process.ts'
import type { Guard } from '../../exec/start-guard.ts'
import { layoutOf, type CellPlaces } from './cell-layout-of.ts'
import { isWithin } from './is-within.ts'
import type { CommandCell, CommandResult, MovedAway, ReachedHost, Standing } from '../command-cell.ts'
import { refusedPaths } from './refused-paths.ts'
import { SandboxError } from '../../exec/sandbox/sandbox-error.ts'
import { whyNeverWidened, whyNotWidened } from './widened-directories.ts'
import { hostText } from './widening.ts'
import { ToolError } from '../port.ts'
import type { HostAndPort } from '../web/network.ts'
import { openCellNetwork, type CellNetwork, type CellNetworkOptions } from './network/cell-network.ts'
import { gitSettings } from './git-settings.ts'
import { identityAt, identityOf } from './path-identity.ts'
import { protect, type Protection } from './protected-paths.ts'

export interface RunCellsOptions {
  /** The path of bubblewrap. */
  readonly bubblewrap: string
  readonly places: CellPlaces
  readonly network: CellNetworkOptions
  /** What every process of this program has in its environment. */
  readonly owner: string
  readonly guard?: Guard | undefined
}

/** Without hosts and ports, a cell has a loopback of its own and nothing else. */
function forceOf({ network: { rules, ports } }: RunCellsOptions, { hosts }: Widening): SandboxForce {
  return rules.length + ports.length + hosts.length > 0 ? 'allowed-hosts' : 'no-network'
}

const NOTHING_STANDS: Standing = {
  widening: () => NOTHING_MORE,
  covers: ({ hosts, directories }) => hosts.length + directories.length === 0,
}

/** One cell for each run that starts a command: begun with the first one, ended with the run. */
export class RunCells {
  readonly #options: RunCellsOptions
  readonly #cells = new Map<string, RunCell>()

  constructor(options: RunCellsOptions) {
    this.#options = options
  }

  /** What every command in one of them can reach; `standing`: of the runs for which this stands. */
  reach(standing = NOTHING_MORE): CommandSandbox {
    const { directories } = this.#options.places
    return { force: forceOf(this.#options, standing), writes: [...directories, ...standing.directories] }
  }

  of(runId: string, standing = NOTHING_STANDS): CommandCell {
    const known = this.#cells.get(runId)
    if (known) return known
    const cell = new RunCell(this.#options, { runId, standing })
    this.#cells.set(runId, cell)
    return cell
  }

  /** The directories of people that commands see; all of them can be written. */
  shown(): readonly string[] {
    const { directories } = this.#options.places
    return [...directories, ...protect(directories).repositories]
  }

  /** Why nobody can be asked for all of this. */
  whyNeverWidened({ directories }: Widening): string | undefined {
    const whys = directories.map((directory) => whyNeverWidened(this.#options.places, directory))
    return whys.find((why) => why !== undefined)
  }

  /** Ends all that the runs have left: SIGTERM, then SIGKILL after the grace. */
  async end(runIds: readonly string[]): Promise<void> {
    await Promise.all(
      runIds.map(async (runId) => {
        const cell = this.#cells.get(runId)
        this.#cells.delete(runId)
        await cell?.end()
      }),
    )
  }

  async close(): Promise<void> {
    await this.end([...this.#cells.keys()])
  }
}

interface Begun {
  readonly cell: Cell
  readonly protection: Protection
  readonly network: CellNetwork
  /** Those that a person has allowed. */
  readonly directories: readonly string[]
}

interface CellOf {
  readonly runId: string
  readonly standing: Standing
}

class RunCell implements CommandCell {
  readonly #options: RunCellsOptions
  readonly #of: CellOf
  /** Calls of one turn start side by side. */
  #ready: Promise<Begun> | undefined
  /** Of commands that have ended without a result to say it in. */
  #moved: MovedAway[] = []
  #reached: ReachedHost[] = []
  /** Something that the last command had started still ran when it ended. */
  #leftSomething = false
  /** Those of single commands. */
  readonly #alone = new Set<RunCell>()

  constructor(options: RunCellsOptions, of: CellOf) {
    this.#options = options
    this.#of = of
  }

  async run(options: ProcessOptions, widening = NOTHING_MORE): Promise<CommandResult> {
    for (const directory of widening.directories) {
      const why = whyNotWidened(this.#options.places, directory)
      if (why !== undefined) throw new ToolError('sandbox', why)
    }
    return await (this.#of.standing.covers(widening) ? this.#run(options) : this.#runAlone(options, widening))
  }

  async #run(options: ProcessOptions): Promise<CommandResult> {
    const before = this.#ready ?? Promise.resolve(undefined)
    const ready = before.then(
      (begun) => this.#renewed(begun),
      () => this.#begin(),
    )
    this.#ready = ready
    return await keepAlive(this.#runIn(ready, options))
  }

  async end(): Promise<void> {
    const alone = [...this.#alone].map((cell) => cell.end())
    const begun = await this.#ready?.catch(() => undefined)
    this.#ready = undefined
    if (begun) await this.#ended(begun)
    await Promise.all(alone)
  }

  /** Nothing else of the run is in it, so that nothing else has what this command was allowed. */
  async #runAlone(options: ProcessOptions, widening: Widening): Promise<CommandResult> {
    const { runId, standing } = this.#of
    const cell = new RunCell(this.#options, { runId, standing: withMore(standing, widening) })
    this.#alone.add(cell)
    try {
      const done = await cell.#run(options)
      await cell.end()
      const moved = [...done.moved, ...cell.#moved]
      return { ...done, moved, reached: [...done.reached, ...cell.#reached], wasAlone: true }
    } finally {
      await cell.end()
      this.#alone.delete(cell)
    }
  }

  async #runIn(ready: Promise<Begun>, options: ProcessOptions): Promise<CommandResult> {
    const { cell, protection, network, directories } = await ready
    const { places } = this.#options
    const written = [...places.directories, ...directories]
    if (!written.some((each) => isWithin(each, options.directory)))
      throw new ToolError('sandbox', whyNotShown(places, options.directory))
    try {
      const result = await runProcess({
        ...options,
        start: (start) =>
          cell.start({ ...start, environment: cellEnvironment(start.environment, cell.proxyPort) }),
      })
      this.#leftSomething = !cell.isEmpty() // looked at first: what is empty makes nothing any more
      const moved = [...this.#moved, ...protection.moveAway()]
      const reached = [...this.#reached, ...network.log.take()]
      this.#moved = []
      this.#reached = []
      const widened = { ...this.#of.standing.widening(), directories }
      const paths = refusedPaths(result, places, written)
      const told = { result, moved, reached, refusedPaths: paths }
      return { ...told, sandbox: forceOf(this.#options, widened), widened, wasAlone: false }
    } catch (error) {
      this.#leftSomething = !cell.isEmpty()
      this.#moved.push(...protection.moveAway())
      throw error
    }
  }

  /**
   * The same cell, as long as it protects what is to be protected. A file that the person or a tool has made or replaced
   * since the last command takes a new cell, and so does a directory that has been allowed or is not allowed any more; what
   * something in the cell has made is moved away.
   */
  async #renewed(begun: Begun | undefined): Promise<Begun> {
    if (!begun) return await this.#begin()
    const { cell, protection, directories } = begun
    const isSame = directories.join('\0') === this.#standingDirectories().join('\0')
    const appeared = protection.appeared().length > 0
    if (cell.isWhole() && isSame && !appeared) return begun
    if (appeared && this.#mayHaveMade(cell)) this.#moved.push(...protection.moveAway())
    if (cell.isWhole() && isSame && protection.appeared().length === 0) return begun
    await this.#ended(begun)
    return await this.#begin()
  }

  async #ended({ cell, network, protection }: Begun): Promise<void> {
    const mayHaveMade = this.#mayHaveMade(cell)
    await cell.end()
    network.close()
    this.#reached.push(...network.log.take())
    if (mayHaveMade) this.#moved.push(...protection.moveAway())
    this.#leftSomething = false
  }

  /** Where nothing was left, what has appeared since is the person's, or a tool's. */
  #mayHaveMade(cell: Cell): boolean {
    return this.#leftSomething || !cell.isEmpty()
  }

  /** Those that can be shown now: a directory may be gone since, or a link. */
  #standingDirectories(): string[] {
    const { directories } = this.#of.standing.widening()
    return directories.filter((directory) => whyNotWidened(this.#options.places, directory) === undefined)
  }

  async #begin(): Promise<Begun> {
    const { bubblewrap, owner, guard } = this.#options
    const { runId, standing } = this.#of
    const more = this.#standingDirectories()
    const [workspace, ...others] = this.#options.places.directories
    const places: CellPlaces = { ...this.#options.places, directories: [workspace, ...others, ...more] }
    const protection = protect(places.directories)
    const mounted = identities([...places.directories, ...protection.mounted])
    const marks = { OFFSHOOT_OWNER: owner, OFFSHOOT_RUN_ID: runId }
    const settings = gitSettings(places, guard)
    const network = await openCellNetwork({
      ...this.#options.network,
      guard,
      allows: (target) => isAllowed(standing, target),
    })
    const layout = layoutOf(places, protection)
    try {
      const cell = await startCell({
        bubblewrap,
        layout,
        marks,
        guard,
        sockets: network.sockets,
        gitSettings: settings,
      })
      network.hide()
      await endUnlessSame(cell, mounted)
      return { cell, protection, network, directories: more }
    } catch (error) {
      network.close()
      throw error
    }
  }
}

function whyNotShown(places: CellPlaces, directory: string): string {
  const why = whyNotWidened(places, directory) ?? 'no rule allows it'
  return `the sandbox does not show ${directory}, where this command would start: ${why}`
}

type Identities = ReadonlyMap<string, string | undefined>

function identities(paths: readonly string[]): Identities {
  return new Map(paths.map((path) => [path, identityAt(path)]))
}

/**
 * bubblewrap follows links: whoever can write around what it mounts, as a command in another cell of the same directory, could
 * have put one in its place meanwhile.
 */
async function endUnlessSame(cell: Cell, mounted: Identities): Promise<void> {
  const isSame = [...mounted].every(([path, known]) => {
    try {
      return known !== undefined && identityOf(cell.statsOf(path)) === known
    } catch {
      return false
    }
  })
  if (isSame) return
  await cell.end()
  throw new SandboxError('a file or directory was exchanged while the sandbox was started')
}

/** A store that cannot be read any more allows nothing. */
function isAllowed(standing: Standing, target: HostAndPort): boolean {
  try {
    return standing.covers({ hosts: [hostText(target)], directories: [] })
  } catch {
    return false
  }
}

/** Once: for one command. */
function withMore(standing: Standing, more: Widening): Standing {
  return {
    widening: () => {
      const { hosts, directories } = standing.widening()
      return {
        hosts: [...new Set([...hosts, ...more.hosts])],
        directories: [...new Set([...directories, ...more.directories])],
      }
    },
    covers: (asked) =>
      standing.covers({
        hosts: asked.hosts.filter((each) => !more.hosts.includes(each)),
        directories: asked.directories.filter((each) => !more.directories.includes(each)),
      }),
  }
}
