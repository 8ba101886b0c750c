/** Deeper values overflow the stack of later readers. */
const MAX_DEPTH = 64

/**
 * Ambiguities that two JSON readers could resolve differently: a duplicate key, a number out of range, or too deep
 * nesting. `text` must be valid JSON. Undefined if there are none.
 */
export function jsonFault(text: string): string | undefined {
  const scanner = new Scanner(text)
  for (let at = 0; at < text.length;) {
    const next = scanner.step(at)
    if (typeof next === 'string') return next
    at = next
  }
  return undefined
}

/** The keys so far of each open object; undefined for an array. */
type Open = Set<string> | undefined

class Scanner {
  readonly #text: string
  readonly #open: Open[] = []
  #isKey = false

  constructor(text: string) {
    this.#text = text
  }

  /** Processes one token: returns the offset after it, or the problem. */
  step(at: number): number | string {
    const char = this.#text[at]!
    if (char === '"') return this.#string(at)
    if (char === '{' || char === '[') return this.#deeper(char === '{' ? new Set() : undefined, at)
    if (char === '}' || char === ']') this.#open.pop()
    if (char === ',') this.#isKey = this.#open.at(-1) !== undefined
    return /[-\d]/.test(char) ? this.#number(at) : at + 1
  }

  #deeper(open: Open, at: number): number | string {
    this.#open.push(open)
    this.#isKey = open !== undefined
    return this.#open.length > MAX_DEPTH ? `is nested deeper than ${MAX_DEPTH} levels` : at + 1
  }

  #string(start: number): number | string {
    const end = endOfString(this.#text, start)
    if (!this.#isKey) return end
    this.#isKey = false
    const key = JSON.parse(this.#text.slice(start, end)) as string
    const keys = this.#open.at(-1)
    if (keys?.has(key)) return `gives the key ${JSON.stringify(key.slice(0, 100))} twice`
    keys?.add(key)
    return end
  }

  #number(start: number): number | string {
    const pattern = /[-+.eE\d]*/y
    pattern.lastIndex = start
    const [number] = pattern.exec(this.#text)!
    if (Number.isFinite(Number(number))) return start + number.length
    return `has the number ${number.slice(0, 40)}, which is too large`
  }
}

/** The offset after the closing quote. Searches, because a pattern could backtrack on long strings. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return quote + 1
  }
}
