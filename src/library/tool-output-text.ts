import { contentSize, kindOf, streamKind } from './value-kind.ts'

/** Most characters kept of one output. The program holds all of it in memory; store and artifacts need not. */
const MAX_CHARS = 4 * 1024 * 1024
/** Most values visited, so that even values without text end the walk. */
const MAX_VALUES = 1_000_000
const MAX_DEPTH = 1_000

/**
 * Converts a tool's return value to text: a string as it is, anything else as JSON, with bigints as digits, cycles as
 * `[circular]` and bytes as their kind and size. Beyond 4 Mi characters, strings lose their middle and other values
 * their end. @throws for a stream, and whatever a getter or `toJSON` throws.
 */
export function modelText(output: unknown): string {
  if (typeof output === 'string') return bounded(output)
  if (output === undefined) return '(it returned nothing)'
  const stream = streamKind(output)
  if (stream) throw new Error(`it returned a ${stream}: read it and return its content instead`)
  const size = contentSize(output)
  if (size !== undefined) return `(it returned a ${kindOf(output)} of ${size} bytes)`
  return new JsonText().of(output) ?? `(it returned a ${typeof output})`
}

function bounded(text: string): string {
  if (text.length <= MAX_CHARS) return text
  const half = MAX_CHARS / 2
  const left = text.length - MAX_CHARS
  return `${text.slice(0, half).toWellFormed()}\n[… ${left} characters left out …]\n${text.slice(-half).toWellFormed()}`
}

/** Signals that the limit is reached. */
class Full extends Error {}

/** Writes like `JSON.stringify`, piece by piece, and stops at the limit however large the value is. */
class JsonText {
  #text = ''
  #values = 0
  readonly #above = new Set<object>()

  /** Undefined for values that JSON has no word for. */
  of(value: unknown): string | undefined {
    try {
      return this.#write(prepared(value, '')) ? this.#text : undefined
    } catch (error) {
      if (!(error instanceof Full)) throw error
      return `${this.#text}\n[… the rest is left out …]`
    }
  }

  /** False if it writes nothing. */
  #write(value: unknown): boolean {
    if (++this.#values > MAX_VALUES) throw new Full()
    if (typeof value === 'string') this.#writeText(value)
    else if (typeof value === 'object' && value !== null) this.#writeObject(value)
    else {
      const shown = JSON.stringify(value) as string | undefined
      if (shown === undefined) return false
      this.#put(shown)
    }
    return true
  }

  #writeText(text: string): void {
    const left = MAX_CHARS - this.#text.length
    this.#put(JSON.stringify(text.length > left ? text.slice(0, left) : text))
    if (text.length > left) throw new Full()
  }

  #writeObject(value: object): void {
    if (this.#above.has(value)) return this.#put('"[circular]"')
    if (this.#above.size >= MAX_DEPTH) throw new Error(`its result is more than ${MAX_DEPTH} levels deep`)
    this.#above.add(value)
    if (Array.isArray(value) || value instanceof Map || value instanceof Set) this.#writeItems(value)
    else this.#writeFields(value)
    this.#above.delete(value)
  }

  #writeItems(items: Iterable<unknown>): void {
    let before = '['
    let i = 0
    for (const item of items) {
      this.#put(before)
      if (!this.#write(prepared(item, String(i++)))) this.#put('null')
      before = ','
    }
    this.#put(before === '[' ? '[]' : ']')
  }

  #writeFields(value: object): void {
    let before = '{'
    for (const [key, field] of fieldsOf(value)) {
      const shown = prepared(field, key)
      if (++this.#values > MAX_VALUES) throw new Full()
      if (shown === undefined || typeof shown === 'function' || typeof shown === 'symbol') continue
      this.#put(before)
      this.#writeText(key)
      this.#put(':')
      this.#write(shown)
      before = ','
    }
    this.#put(before === '{' ? '{}' : '}')
  }

  #put(text: string): void {
    this.#text += text
    if (this.#text.length > MAX_CHARS) throw new Full()
  }
}

/** Reads one entry at a time, so that entries beyond the limit are not read. */
function* fieldsOf(value: object): Generator<readonly [string, unknown]> {
  if (value instanceof Error) yield* [['name', value.name] as const, ['message', value.message] as const]
  for (const key in value) {
    if (Object.hasOwn(value, key)) yield [key, (value as Record<string, unknown>)[key]]
  }
}

/** What represents a value: its `toJSON`, the primitive of a wrapper object, or words for what JSON cannot hold. */
function prepared(value: unknown, key: string): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  const size = contentSize(value)
  if (size !== undefined) return `[${kindOf(value)} of ${size} bytes]`
  const stream = streamKind(value)
  if (stream) return `[${stream}]`
  const { toJSON } = value as { readonly toJSON?: unknown }
  const json: unknown = typeof toJSON === 'function' ? toJSON.call(value, key) : value
  if (typeof json === 'bigint') return String(json)
  return json instanceof Number || json instanceof String || json instanceof Boolean ? json.valueOf() : json
}
