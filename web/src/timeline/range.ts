/** Times in view. Milliseconds since the epoch. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Shorter ones say nothing. */
const MIN_MS = 20

/** A part of the whole; null: the whole, which is also what follows it while it grows. */
export function rangeWithin(range: Range, whole: Range): Range | null {
  const width = Math.max(MIN_MS, range.to - range.from)
  if (width >= whole.to - whole.from) return null
  const from = Math.min(Math.max(range.from, whole.from), whole.to - width)
  return { from, to: from + width }
}

/** `factor` below 1 comes closer, to the middle of what is in view. */
export function zoomed({ from, to }: Range, whole: Range, factor: number): Range | null {
  const middle = (from + to) / 2
  const half = ((to - from) / 2) * factor
  return rangeWithin({ from: middle - half, to: middle + half }, whole)
}

/** `part` of what is in view: 0.1 is a tenth to the right. */
export function panned({ from, to }: Range, whole: Range, part: number): Range | null {
  const by = (to - from) * part
  return rangeWithin({ from: from + by, to: to + by }, whole)
}
