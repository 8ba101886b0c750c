export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

/** The median of the ratios of each round: what slows the machine in a round slows both sides of it. */
export function medianRatio<T>(
  figures: readonly T[],
  base: readonly T[],
  of: (figures: T) => number,
): number {
  return median(figures.map((each, round) => of(each) / of(base[round]!)))
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(line)]
}
