import type { SandboxForce } from '../../core/command-sandbox.ts'
import type { CommandCell, Standing } from '../command-cell.ts'
import { runUnconfined } from '../run-unconfined.ts'
import type { RunCells } from './run-cells.ts'

/**
 * What confines the commands of a program's runs. It is looked for once, when the first command is decided: that takes a
 * tenth of a second, and many runs have no command.
 */
export class Confinement {
  readonly #look: () => Promise<RunCells | undefined>
  #looked: Promise<RunCells | undefined> | undefined

  /** `look` resolves to undefined where nothing confines them. */
  constructor(look: () => Promise<RunCells | undefined>) {
    this.#look = look
  }

  /** Undefined where nothing confines commands. */
  cells(): Promise<RunCells | undefined> {
    this.#looked ??= this.#look()
    return this.#looked
  }

  async force(): Promise<SandboxForce> {
    return (await this.cells())?.reach().force ?? 'off'
  }

  /** Where the commands of a run start. */
  of(runId: string, standing?: Standing): CommandCell {
    return {
      run: async (options, widening) => {
        const cells = await this.cells()
        return await (cells ? cells.of(runId, standing).run(options, widening) : runUnconfined(options))
      },
    }
  }

  /** Ends all that the runs have left: SIGTERM, then SIGKILL after the grace. */
  async end(runIds: readonly string[]): Promise<void> {
    const cells = await this.#looked
    await cells?.end(runIds)
  }

  async close(): Promise<void> {
    const cells = await this.#looked
    await cells?.close()
  }
}
