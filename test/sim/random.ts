/** Chance that is the same each time: everything in a simulated world that could be otherwise comes from one of these. */
export interface Random {
  /** 0 ≤ x < 1. */
  next(): number
  /** A whole number, both ends included. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  bytes(count: number): Uint8Array
}

/** `stream` names what it is for: streams of one seed do not disturb each other. */
export function randomOf(seed: number, stream: string): Random {
  let state = 0x9e3779b9 ^ seed
  for (const letter of stream) state = Math.imul(state ^ letter.charCodeAt(0), 0x85ebca6b) + 0x632be5ab
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (list) => list[between(0, list.length - 1)]!,
    bytes: (count) => Uint8Array.from({ length: count }, () => between(0, 255)),
  }
}
