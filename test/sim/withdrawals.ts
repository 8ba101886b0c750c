import type { Row } from '../../src/store/engine.ts'
import type { World } from './world.ts'

/** Commands that whoever brought them withdraws as late as can be: when their owner has begun them, and not written yet. */
export class Withdrawals {
  readonly #world: World
  readonly #waiting = new Set<string>()
  readonly #begun = new Set<string>()

  constructor(world: World) {
    this.#world = world
  }

  /** This command is withdrawn once somebody has read it. */
  expect(id: string): void {
    this.#waiting.add(id)
  }

  /** Somebody looks for commands. */
  read(rows: readonly Row[]): void {
    for (const id of rows.map((row) => String(row['id']))) if (this.#waiting.delete(id)) this.#begun.add(id)
  }

  /** Somebody is about to write: another process has written before. */
  beforeWrite(): void {
    if (this.#begun.size === 0) return
    const { engine, power } = this.#world
    engine.begin()
    for (const key of this.#begun) {
      const before = engine.get('commands', key)
      engine.delete('commands', key)
      power.committed([{ table: 'commands', key, before, after: undefined }], true)
    }
    engine.commit()
    this.#begun.clear()
    this.#world.commits++
    this.#world.count('withdrawn command')
  }
}
