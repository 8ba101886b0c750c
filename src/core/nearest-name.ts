/** The known name that a misspelled one probably means: at most a third of its letters differ. */
export function nearestName(
  name: string,
  known: readonly string[],
  mostOf: (candidate: string) => number = aThird,
): string | undefined {
  if (name.length > 64) return undefined
  const wanted = name.toLowerCase()
  let nearest: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const most = Math.min(mostOf(candidate), (nearest?.distance ?? Infinity) - 1)
    if (Math.abs(candidate.length - name.length) > most) continue
    const lower = candidate.toLowerCase()
    if (strangeLetters(wanted, lower) > most) continue
    const distance = editDistance(wanted, lower)
    if (distance <= most) nearest = { candidate, distance }
  }
  return nearest?.candidate
}

function aThird({ length }: string): number {
  return Math.max(1, Math.floor(length / 3))
}

/** A lower bound of the edit distance, and far cheaper: a foreign file may have thousands of names. */
function strangeLetters(a: string, b: string): number {
  let count = 0
  for (let i = 0; i < a.length; i++) if (!b.includes(a[i]!)) count++
  return count
}

/** Edit distance with insertions, deletions, substitutions and swaps (optimal string alignment). */
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
