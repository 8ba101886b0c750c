import type { Json } from '../../src/core/json.ts'
import type { Random } from '../sim/random.ts'

/** One parser, the inputs that it is given, and what has to hold for each of them. An input is JSON: it can be kept. */
export interface Target<I extends Json = Json> {
  readonly name: string
  /** What one input may take of the processor; it is too slow when it takes longer each time. */
  readonly limitMs: number
  /** The same for the same random numbers. */
  generate(random: Random): I
  /** Fields of an input that stay as they are when it is made smaller: they choose a reader. */
  readonly fixed?: readonly string[]
  /** @throws Finding, or anything else, when a property does not hold. */
  run(input: I): void | Promise<void>
  /** Ends what `run` has started. */
  close?(): Promise<void>
}

/** A property that does not hold. `property` names it; a smaller input with the same name is the same finding. */
export class Finding extends Error {
  readonly property: string

  constructor(property: string, detail: string) {
    super(`${property}: ${detail.slice(0, MAX_DETAIL)}`)
    this.name = 'Finding'
    this.property = property
  }
}

const MAX_DETAIL = 2_000

export function hold(isHeld: boolean, property: string, detail: () => string): void {
  if (!isHeld) throw new Finding(property, detail())
}

/** An error of the engine has no property of its own: its class stands for it. */
export function propertyOf(error: unknown): string {
  if (error instanceof Finding) return error.property
  return error instanceof Error ? `throws ${error.name}` : 'throws no error'
}
