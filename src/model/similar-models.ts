import { nearestName } from '../core/nearest-name.ts'

const LISTED = 5

/** A shorter text is part of too many names. */
const LEAST_CHARS = 3

/**
 * The ids that a wrong one may mean: those with exactly its model name, else those whose name contains it, else the one
 * with the nearest name. A wrong or missing provider does not count.
 */
export function similarModels(typed: string, ids: readonly string[]): readonly string[] {
  const wanted = nameOf(typed).toLowerCase()
  if (wanted.length < LEAST_CHARS) return []
  const exact = ids.filter((id) => nameOf(id).toLowerCase() === wanted)
  if (exact.length > 0) return exact
  const containing = ids.filter((id) => nameOf(id).toLowerCase().includes(wanted))
  if (containing.length > 0) return containing.slice(0, LISTED)
  const near = nearestName(wanted, ids.map(nameOf))
  return near === undefined ? [] : ids.filter((id) => nameOf(id) === near)
}

function nameOf(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}
