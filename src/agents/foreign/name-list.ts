const MAX_LISTED = 12

/** Foreign names for people: deduplicated and bounded. */
export function listed(names: readonly string[]): string {
  const all = unique(names).map((name) => name.slice(0, 64))
  const more = all.length - MAX_LISTED
  return all.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

export function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}

/** undefined: none. */
export function someOf<T>(values: readonly T[]): readonly T[] | undefined {
  return values.length > 0 ? values : undefined
}
