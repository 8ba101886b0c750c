/**
 * One shortest cycle through each group of files that reach each other (strongly connected components); each starts
 * and ends with the same file.
 */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const covered = new Set<string>()
  const cycles: string[][] = []
  for (const start of [...graph.keys()].toSorted()) {
    if (covered.has(start)) continue
    const cycle = shortestWayBack(start, graph)
    if (cycle === undefined) continue
    const reached = reachableFrom(start, graph)
    for (const file of reached) if (reachableFrom(file, graph).has(start)) covered.add(file)
    cycles.push(cycle)
  }
  return cycles
}

/** Breadth first, so that the first way found is a shortest one. */
function shortestWayBack(start: string, graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const seen = new Set<string>()
  const ways = [[start]]
  for (const way of ways) {
    for (const next of graph.get(way.at(-1)!) ?? []) {
      if (next === start) return [...way, start]
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return undefined
}

function reachableFrom(start: string, graph: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set([start])
  for (const file of reached) for (const next of graph.get(file) ?? []) reached.add(next)
  return reached
}
