import { systemClock } from '../exec/system-clock.ts'
import type { Clock } from '../core/clock.ts'
import type { ScriptInput } from '../model/model-script.ts'
import { createScriptedModel, type ScriptedModel } from '../model/scripted-model.ts'
import { createMemoryStore } from '../store/memory.ts'
import type { Store } from '../store/port.ts'
import { openOffshoot, type Offshoot, type OffshootOptions } from '../library/offshoot.ts'
import { handClock, type HandClock } from './hand-clock.ts'

type AgentScripts = ScriptInput['agents']

export interface TestOptions extends Omit<OffshootOptions, 'clock' | 'store'> {
  /** Scripted answers by agent: a list or a function. `*` applies to all other agents. */
  readonly script?: AgentScripts
  /** A store that no other code uses meanwhile; it is closed at the end. Default: a new one in memory. */
  readonly store?: Store
}

export interface TestOffshoot extends AsyncDisposable {
  readonly offshoot: Offshoot
  /** Moves the time of this Offshoot. */
  readonly clock: HandClock
  /** The scripted model, with the requests that it received. */
  readonly model: ScriptedModel
  readonly store: Store
}

/**
 * An Offshoot for tests: a scripted model, a store in memory, a clock that the test moves, and no user configuration.
 * `clock.until(promise)` waits for a promise and skips idle time. While no call moves the clock, its timers fire in
 * real time, so a plain `await` or `for await` ends as well.
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
 * A model that answers from a script: list entries once and in order, or the return value of a function. A call without
 * an answer fails its run. The script is the answers by agent, or `{ agents }` with them. @throws OffshootError `config`
 * for an invalid script (docs/models.md).
 */
export function scriptedModel(script: AgentScripts, options?: { readonly clock?: Clock }): ScriptedModel
export function scriptedModel(script: ScriptInput, options?: { readonly clock?: Clock }): ScriptedModel
export function scriptedModel(
  script: AgentScripts | ScriptInput,
  options: { readonly clock?: Clock } = {},
): ScriptedModel {
  return createScriptedModel(wholeScript(script), { clock: options.clock ?? systemClock })
}

/** The answers by agent may stand alone. Under `agents`, a list or a function are those of an agent of that name. */
function wholeScript(script: AgentScripts | ScriptInput): ScriptInput {
  const { agents } = script
  const isWhole = typeof agents === 'object' && !Array.isArray(agents)
  const isByAgent = Object.values(script).every((each) => Array.isArray(each) || typeof each === 'function')
  return isWhole || !isByAgent ? (script as ScriptInput) : { agents: script as AgentScripts }
}
