/** Tokens of one or more requests. `input` includes reads from and writes to the provider's cache. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Part of `output`. */
  readonly reasoning: number
}

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
  }
}

/** Adds amounts only while every price is known: one unknown price (null) makes the sum unknown, never 0. */
export function addCost(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b
}
