/** Size in bytes of a binary value: a Buffer, a typed array, an ArrayBuffer, a Blob. */
export function contentSize(value: unknown): number | undefined {
  if (ArrayBuffer.isView(value) || isBuffer(value)) return value.byteLength
  return value instanceof Blob ? value.size : undefined
}

function isBuffer(value: unknown): value is ArrayBuffer | SharedArrayBuffer {
  return value instanceof ArrayBuffer || value instanceof SharedArrayBuffer
}

/** Kind of a value that yields its content later and only once: generators, streams, `fetch` responses. */
export function streamKind(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const kind = kindOf(value)
  if (ONCE.has(kind)) return kind
  const { next } = value as { readonly next?: unknown }
  const isIterator = typeof next === 'function' && Symbol.iterator in value
  return isIterator || Symbol.asyncIterator in value ? kind : undefined
}

const ONCE: ReadonlySet<string> = new Set(['Response', 'Request', 'ReadableStream', 'WritableStream'])

/** `Buffer`, `Uint8Array`, `ReadableStream`. */
export function kindOf(value: unknown): string {
  const { constructor } = Object(value) as { readonly constructor?: { readonly name?: unknown } }
  const name = constructor?.name
  if (typeof name === 'string' && name !== '' && name !== 'Object') return name.slice(0, 100)
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}
