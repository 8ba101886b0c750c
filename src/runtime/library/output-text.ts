/** What is kept of one output. The program's memory holds all of it anyway; store and artifacts need not. */
const MAX_CHARS = 4 * 1024 * 1024

/**
 * What a tool returned, as a text: a text as it is, anything else as JSON, where bigints are digits and a reference back
 * is `[circular]`. Beyond 4 Mi characters the middle is left out. @throws whatever a getter or `toJSON` throws.
 */
export function modelText(output: unknown): string {
  const text = typeof output === 'string' ? output : asJson(output)
  if (text.length <= MAX_CHARS) return text
  const half = MAX_CHARS / 2
  const left = text.length - MAX_CHARS
  return `${text.slice(0, half).toWellFormed()}\n[… ${left} characters left out …]\n${text.slice(-half).toWellFormed()}`
}

function asJson(output: unknown): string {
  if (output === undefined) return '(it returned nothing)'
  return JSON.stringify(output, withoutCycles()) ?? `(it returned a ${typeof output})`
}

/** A replacer that knows the objects on the way down to a value, as they are and as they are shown. */
function withoutCycles(): (this: unknown, key: string, value: unknown) => unknown {
  const above: { readonly value: object; readonly shown: object }[] = []
  return function (_key, value) {
    if (typeof value === 'bigint') return String(value)
    if (typeof value !== 'object' || value === null) return value
    // `this` holds the value: whatever stands after it is done
    while (above.length > 0 && above.at(-1)!.shown !== this) above.pop()
    if (above.some((each) => each.value === value)) return '[circular]'
    const shown = plain(value)
    above.push({ value, shown })
    return shown
  }
}

/** What JSON would show as `{}`. */
function plain(value: object): object {
  if (value instanceof Map || value instanceof Set) return [...value]
  return value instanceof Error ? { ...value, name: value.name, message: value.message } : value
}
