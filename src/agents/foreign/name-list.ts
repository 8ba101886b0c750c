const MAX_LISTED = 12

/** Names of others for a person: each once, and not too many. */
export function listed(names: readonly string[]): string {
  const all = unique(names).map((name) => name.slice(0, 64))
  const more = all.length - MAX_LISTED
  return all.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

export function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}

/** undefined for none. */
export function someOf<T>(values: readonly T[]): readonly T[] | undefined {
  return values.length > 0 ? values : undefined
}
