export interface OpenAsk {
  readonly id: string
  readonly position: number
  readonly of: number
}

/** The open asks with their places, oldest first. */
export function placed<T extends OpenAsk>(open: readonly T[]): readonly T[] {
  return open.map((ask, i) =>
    ask.position === i + 1 && ask.of === open.length ? ask : { ...ask, position: i + 1, of: open.length },
  )
}
