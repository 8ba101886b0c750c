/** The visible time range. Milliseconds since the epoch. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Minimum length; a shorter range shows nothing useful. */
const MIN_MS = 20

/** Limits a range to the whole. Returns null for the whole, so that the view follows a growing timeline. */
export function rangeWithin(range: Range, whole: Range): Range | null {
  const width = Math.max(MIN_MS, range.to - range.from)
  if (width >= whole.to - whole.from) return null
  const from = Math.min(Math.max(range.from, whole.from), whole.to - width)
  return { from, to: from + width }
}

/** `factor` below 1 zooms in on the middle of the range. */
export function zoomed({ from, to }: Range, whole: Range, factor: number): Range | null {
  const middle = (from + to) / 2
  const half = ((to - from) / 2) * factor
  return rangeWithin({ from: middle - half, to: middle + half }, whole)
}

/** `part`: share of the visible range; 0.1 pans right by a tenth. */
export function panned({ from, to }: Range, whole: Range, part: number): Range | null {
  const by = (to - from) * part
  return rangeWithin({ from: from + by, to: to + by }, whole)
}
