import { systemClock } from '../exec/system-clock.ts'
import type { Clock } from '../core/clock.ts'
import type { ScriptInput } from '../model/model-script.ts'
import { createScriptedModel, type ScriptedModel } from '../model/scripted-model.ts'
import { createMemoryStore } from '../store/memory.ts'
import type { Store } from '../store/port.ts'
import { openOffshoot, type Offshoot, type OffshootOptions } from '../library/offshoot.ts'
import { handClock, type HandClock } from './hand-clock.ts'

export interface TestOptions extends Omit<OffshootOptions, 'clock' | 'store'> {
  /** What the model answers, by agent: a list or a function. `*` is for the other agents. */
  readonly script?: ScriptInput['agents']
  /** One that nobody else uses meanwhile, closed at the end. Default: a new one in memory. */
  readonly store?: Store
}

export interface TestOffshoot extends AsyncDisposable {
  readonly offshoot: Offshoot
  /** Moves the time of everything in it. */
  readonly clock: HandClock
  /** What the script answers, and the requests that it got. */
  readonly model: ScriptedModel
  readonly store: Store
}

/**
 * An Offshoot for tests: a scripted model, a store in memory, a clock that the test moves, and nothing of the user's
 * configuration. `clock.until(promise)` waits for a promise and jumps over time that only has to pass. While no call moves
 * the clock, its timers fire as real ones do, so that a plain `await` or `for await` ends as well.
 */
export async function createTestOffshoot({
  script = {},
  ...options
}: TestOptions = {}): Promise<TestOffshoot> {
  const clock = handClock(0, { runs: true })
  const store = options.store ?? createMemoryStore()
  const model = createScriptedModel({ agents: script }, { clock })
  const offshoot = await openOffshoot(
    { env: { HOME: '/nonexistent' }, model, ...options, clock },
    { alone: store },
  )
  const close = () => clock.until(offshoot.close())
  return { offshoot, clock, model, store, [Symbol.asyncDispose]: close }
}

/**
 * A model that answers what its script says: each entry of a list once and in order, or what a function returns. A call
 * without an answer fails its run.
 * @throws OffshootError `config` for a script of another shape (docs/models.md).
 */
export function scriptedModel(script: ScriptInput, options: { readonly clock?: Clock } = {}): ScriptedModel {
  return createScriptedModel(script, { clock: options.clock ?? systemClock })
}
