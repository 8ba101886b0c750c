import type { Json } from '../../src/core/json.ts'

const PATIENCE_MS = 20_000

/**
 * The smallest input that is found to fail as well, by taking away halves, quarters and single characters of its texts,
 * and elements of its lists. It ends after a while with what it has.
 */
export async function minimise<I extends Json>(
  input: I,
  shrink: (input: I) => Iterable<I>,
  fails: (input: I) => Promise<boolean>,
): Promise<I> {
  const until = Date.now() + PATIENCE_MS
  let smallest = input
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false
    for (const candidate of shrink(smallest)) {
      if (Date.now() > until) return smallest
      if (!(await fails(candidate))) continue
      smallest = candidate
      isSmaller = true
      break
    }
  }
  return smallest
}

/** Smaller values of the same shape: fields stay, and so do their types. `fixed`: fields whose values stay too. */
export function* smallerJson(value: Json, fixed: readonly string[] = []): Generator<Json> {
  if (typeof value === 'string') yield* smallerTexts(value)
  else if (Array.isArray(value)) yield* smallerLists(value)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value).filter(([name]) => !fixed.includes(name)))
      for (const smaller of smallerJson(inner ?? null)) yield withField(value, name, smaller)
  }
}

function withField(value: object, name: string, inner: Json): Json {
  const entries = Object.entries(value) as [string, Json][]
  return Object.fromEntries(entries.map(([each, old]) => [each, each === name ? inner : old]))
}

function* smallerTexts(text: string): Generator<string> {
  for (const size of sizes(text.length))
    for (let at = 0; at < text.length; at += size) yield text.slice(0, at) + text.slice(at + size)
}

function* smallerLists(list: readonly Json[]): Generator<Json> {
  for (const size of sizes(list.length))
    for (let at = 0; at < list.length; at += size) yield list.toSpliced(at, size)
  for (const [at, each] of list.entries())
    for (const smaller of smallerJson(each)) yield list.with(at, smaller)
}

function sizes(length: number): number[] {
  const found: number[] = []
  for (let size = length; size >= 1; size = Math.floor(size / 2)) found.push(size)
  return found
}
