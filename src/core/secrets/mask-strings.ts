/** The same value with every text in it masked, its keys too, and itself where nothing changes. */
export function maskStrings<T>(value: T, mask: (text: string) => string): T {
  return masked(value, mask) as T
}

type Fields = Readonly<Record<string, unknown>>

function masked(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return maskedList(value, mask)
  const fields = value as Fields
  const entries = Object.entries(fields)
  const after = entries.map(([key, each]) => [mask(key), isOpaque(fields, key) ? each : masked(each, mask)])
  const isSame = after.every(([key, each], i) => key === entries[i]![0] && each === entries[i]![1])
  return isSame ? value : Object.fromEntries(after)
}

function maskedList(list: readonly unknown[], mask: (text: string) => string): readonly unknown[] {
  const copy = list.map((each) => masked(each, mask))
  return copy.some((each, i) => each !== list[i]) ? copy : list
}

const PARTS: ReadonlySet<unknown> = new Set(['text', 'reasoning', 'tool-call'])

/** Base64 of a file, and what a provider has signed: no text, and of no use once it is changed. */
function isOpaque(fields: Fields, key: string): boolean {
  if (key === 'data') return typeof fields['mediaType'] === 'string'
  return key === 'metadata' && PARTS.has(fields['type'])
}
