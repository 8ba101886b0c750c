import type { SandboxSetting } from '../../config/sandbox-setting.ts'
import { Confinement } from '../../tools/cell/confinement.ts'
import type { RunCells } from '../../tools/cell/run-cells.ts'

type Look = (setting: SandboxSetting) => Promise<RunCells | undefined>

/** What confines the commands of a process: one for each setting, since a conversation keeps its own. */
export class Confinements {
  readonly #look: Look
  readonly #made = new Map<SandboxSetting, Confinement>()

  /** `look` resolves to undefined where there is no sandbox, and throws where one is required. */
  constructor(look: Look) {
    this.#look = look
  }

  /** Undefined where nothing is to confine commands. */
  at(setting: SandboxSetting): Confinement | undefined {
    if (setting === 'off') return undefined
    const known = this.#made.get(setting)
    if (known) return known
    const made = new Confinement(() => this.#look(setting))
    this.#made.set(setting, made)
    return made
  }

  /** Ends all that the runs have left. */
  async end(runIds: readonly string[]): Promise<void> {
    await Promise.all([...this.#made.values()].map((each) => each.end(runIds)))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#made.values()].map((each) => each.close()))
  }
}
