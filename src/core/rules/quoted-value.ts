const MAX_CHARS = 200

/** A value of somebody else's for an error message: bounded, and never a second error. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MAX_CHARS))
  try {
    return (JSON.stringify(value) ?? typeof value).slice(0, MAX_CHARS)
  } catch {
    return typeof value // a value that JSON does not have, or one that refers to itself
  }
}
