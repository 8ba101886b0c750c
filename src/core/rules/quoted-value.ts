const MAX_CHARS = 200

/** Quotes a foreign value for an error message: bounded, and never throws. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MAX_CHARS))
  try {
    return (JSON.stringify(value) ?? typeof value).slice(0, MAX_CHARS)
  } catch {
    return typeof value // not a JSON value, or circular
  }
}
