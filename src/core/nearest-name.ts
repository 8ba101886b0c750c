/** The known name that a mistyped one was probably meant to be: at most a third of its letters differ. */
export function nearestName(
  name: string,
  known: readonly string[],
  mostOf: (candidate: string) => number = aThird,
): string | undefined {
  if (name.length > 64) return undefined
  const ranked = known
    .filter((candidate) => Math.abs(candidate.length - name.length) <= mostOf(candidate))
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= mostOf(candidate))
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.candidate
}

function aThird({ length }: string): number {
  return Math.max(1, Math.floor(length / 3))
}

/** Inserted, deleted, changed and swapped letters (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + cost)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
