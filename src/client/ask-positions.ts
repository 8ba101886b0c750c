export interface Asked {
  readonly id: string
  readonly position: number
  readonly of: number
}

/** Each of what is asked with its place, oldest first. */
export function placed<T extends Asked>(open: readonly T[]): readonly T[] {
  return open.map((ask, i) =>
    ask.position === i + 1 && ask.of === open.length ? ask : { ...ask, position: i + 1, of: open.length },
  )
}
