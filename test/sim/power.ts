import type { Write } from './engine.ts'
import type { World } from './world.ts'

/** The power of the machine on which all processes run. What was committed and not synced is lost with it. */
export class Power {
  readonly #world: World
  /** Newest last. */
  #unsynced: Write[] = []

  constructor(world: World) {
    this.#world = world
  }

  /** A sync takes along all that was committed before. */
  committed(writes: readonly Write[], isSynced: boolean): void {
    if (isSynced) this.#unsynced = []
    else this.#unsynced.push(...writes)
  }

  /** As soon as what is under way has been taken back. */
  failSoon(): void {
    this.#world.timeline.after(0, () => this.#fail())
  }

  #fail(): void {
    const lost = this.#unsynced
    this.#unsynced = []
    this.#world.count('loss of power')
    this.#world.note('world', () => `loses its power, and ${lost.length} rows`)
    for (const process of this.#world.processes) process.die('with the power')
    const event = lost.find(({ table }) => table === 'events')
    if (event) this.#world.watch.report('D1', `events of ${event.key} were told, and are lost with the power`)
    else this.#takeBack(lost)
  }

  #takeBack(lost: readonly Write[]): void {
    const { engine } = this.#world
    for (const { table, key, before, after } of lost.toReversed())
      if (!before) engine.delete(table, key)
      else if (after) engine.update(table, key, before)
      else engine.insert(table, before)
    engine.commit()
  }
}
