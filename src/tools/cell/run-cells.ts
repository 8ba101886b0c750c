import type { CommandSandbox, SandboxForce } from '../../core/command-sandbox.ts'
import { cellEnvironment } from '../../exec/sandbox/cell-environment.ts'
import { startCell, type Cell } from '../../exec/sandbox/start-cell.ts'
import { keepAlive } from '../../exec/keep-alive.ts'
import { runProcess, type ProcessOptions } from '../../exec/run-process.ts'
import type { Guard } from '../../exec/start-guard.ts'
import { layoutOf, type CellPlaces } from './cell-layout-of.ts'
import type { CommandCell, CommandResult, MovedAway, ReachedHost } from '../command-cell.ts'
import { openCellNetwork, type CellNetwork, type CellNetworkOptions } from './network/cell-network.ts'
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
function forceOf({ network: { rules, ports } }: RunCellsOptions): SandboxForce {
  return rules.length + ports.length > 0 ? 'allowed-hosts' : 'no-network'
}

/** One cell for each run that starts a command: begun with the first one, ended with the run. */
export class RunCells {
  readonly #options: RunCellsOptions
  readonly #cells = new Map<string, RunCell>()

  constructor(options: RunCellsOptions) {
    this.#options = options
  }

  /** What every command in one of them can reach. */
  get reach(): CommandSandbox {
    return { force: forceOf(this.#options), writes: this.#options.places.directories }
  }

  of(runId: string): CommandCell {
    const known = this.#cells.get(runId)
    if (known) return known
    const cell = new RunCell(this.#options, runId)
    this.#cells.set(runId, cell)
    return cell
  }

  /** The directories of people that commands see; all of them can be written. */
  shown(): readonly string[] {
    const { directories } = this.#options.places
    return [...directories, ...protect(directories).repositories]
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
}

class RunCell implements CommandCell {
  readonly #options: RunCellsOptions
  readonly #runId: string
  /** Calls of one turn start side by side. */
  #ready: Promise<Begun> | undefined
  /** Of commands that have ended without a result to say it in. */
  #moved: MovedAway[] = []
  #reached: ReachedHost[] = []

  constructor(options: RunCellsOptions, runId: string) {
    this.#options = options
    this.#runId = runId
  }

  async run(options: ProcessOptions): Promise<CommandResult> {
    const before = this.#ready ?? Promise.resolve(undefined)
    const ready = before.then(
      (begun) => this.#renewed(begun),
      () => this.#begin(),
    )
    this.#ready = ready
    return await keepAlive(this.#runIn(ready, options))
  }

  async end(): Promise<void> {
    const begun = await this.#ready?.catch(() => undefined)
    this.#ready = undefined
    if (begun) await this.#ended(begun)
    begun?.protection.moveAway()
  }

  async #runIn(ready: Promise<Begun>, options: ProcessOptions): Promise<CommandResult> {
    const { cell, protection, network } = await ready
    try {
      const result = await runProcess({
        ...options,
        start: (start) =>
          cell.start({ ...start, environment: cellEnvironment(start.environment, cell.proxyPort) }),
      })
      const moved = [...this.#moved, ...protection.moveAway()]
      const reached = [...this.#reached, ...network.log.take()]
      this.#moved = []
      this.#reached = []
      return { result, moved, reached, sandbox: forceOf(this.#options) }
    } catch (error) {
      this.#moved.push(...protection.moveAway())
      throw error
    }
  }

  /**
   * The same cell, as long as it protects what is to be protected. A file that the person or a tool has made or replaced
   * since the last command takes a new cell; what something in the cell has made is moved away.
   */
  async #renewed(begun: Begun | undefined): Promise<Begun> {
    if (!begun) return await this.#begin()
    const { cell, protection } = begun
    const appeared = protection.appeared().length > 0
    if (cell.isWhole() && !appeared) return begun
    if (appeared && cell.population() > 0) this.#moved.push(...protection.moveAway())
    if (cell.isWhole() && protection.appeared().length === 0) return begun
    await this.#ended(begun)
    return await this.#begin()
  }

  async #ended({ cell, network }: Begun): Promise<void> {
    await cell.end()
    network.close()
    this.#reached.push(...network.log.take())
  }

  async #begin(): Promise<Begun> {
    const { bubblewrap, places, owner, guard } = this.#options
    const protection = protect(places.directories)
    const marks = { OFFSHOOT_OWNER: owner, OFFSHOOT_RUN_ID: this.#runId }
    const layout = layoutOf(places, protection)
    const network = await openCellNetwork({ ...this.#options.network, guard })
    try {
      const cell = await startCell({ bubblewrap, layout, marks, guard, sockets: network.sockets })
      network.hide()
      return { cell, protection, network }
    } catch (error) {
      network.close()
      throw error
    }
  }
}
