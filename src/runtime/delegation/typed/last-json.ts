import type { Json } from '../../../core/json.ts'

/** Longer texts are not parsed. Characters. */
export const MAX_JSON_CHARS = 2 * 1024 * 1024
/** Deeper values could not be stored or shown. */
const MAX_DEPTH = 100
/** Total characters examined, so that adversarial texts end too. */
const MAX_STEPS = 8 * MAX_JSON_CHARS

/** undefined: none found. */
export type FoundJson = { readonly value: Json } | undefined

/**
 * The JSON value in a model's text: the whole text, the last fenced block, or the last complete object or list in it.
 * Bounded in time and depth for any text.
 */
export function lastJson(text: string): FoundJson {
  if (text.length > MAX_JSON_CHARS) return undefined
  const body = text.trim()
  return parsed(body) ?? parsed(lastBlock(body)) ?? lastContainer(body)
}

function parsed(text: string | undefined): FoundJson {
  if (text === undefined || text === '') return undefined
  try {
    const value = JSON.parse(text) as Json
    return cannotBeKept(value) ? undefined : { value }
  } catch {
    return undefined
  }
}

/** The last fenced block; it may be a single word or number. */
function lastBlock(text: string): string | undefined {
  if (!text.endsWith('```')) return undefined
  const opening = text.lastIndexOf('```', text.length - 4)
  const start = opening < 0 ? -1 : text.indexOf('\n', opening)
  return start < 0 ? undefined : text.slice(start, -3)
}

function lastContainer(text: string): FoundJson {
  const reader = new Reader(text)
  let last: FoundJson
  for (let at = nextOpening(text, 0); at >= 0 && reader.steps < MAX_STEPS;) {
    const end = reader.endOf(at)
    if (end === 'cut') return last // content of an unfinished value is not the value
    const found = end === undefined ? undefined : parsed(text.slice(at, end))
    if (found) last = found
    at = nextOpening(text, found ? end! : at + 1)
  }
  return last
}

function nextOpening(text: string, from: number): number {
  OPENING.lastIndex = from
  return OPENING.test(text) ? OPENING.lastIndex - 1 : -1
}

const OPENING = /[{[]/g
const OPEN = new Set(['{', '['])

/** Finds the end of a value that starts at a position. */
class Reader {
  readonly #text: string
  steps = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The position after the object or list that starts here; `cut`: it has no end; undefined: not a value. */
  endOf(start: number): number | 'cut' | undefined {
    const open: string[] = []
    let at = start
    while (at < this.#text.length) {
      const char = this.#text[at]!
      if (OPEN.has(char)) {
        if (open.push(char) > MAX_DEPTH) return 'cut'
        at++
      } else if (char === '}' || char === ']') {
        if (open.pop() !== (char === '}' ? '{' : '[')) return undefined
        at++
        if (open.length === 0) return at
      } else {
        const end = this.#endOfToken(at)
        if (end === at) return this.#isCutString(at) ? 'cut' : undefined
        at = end
      }
      this.steps += 1
    }
    return 'cut'
  }

  /**
   * The end of a token between brackets: string, number, word, comma, white space. The same position if there is none.
   */
  #endOfToken(at: number): number {
    TOKEN.lastIndex = at
    const end = TOKEN.test(this.#text) ? TOKEN.lastIndex : at
    this.steps += end - at
    return end
  }

  #isCutString(at: number): boolean {
    CUT.lastIndex = at
    return CUT.test(this.#text)
  }
}

/** A string that continues to the end of the text. */
const CUT = /"(?:[^"\\\u0000-\u001f]|\\.)*$/y

/** Each branch starts with a different character and no repetition overlaps another: it cannot backtrack. */
const TOKEN = /"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrtu])*"|[\s,:]+|[-+.0-9eE]+|true|false|null/y

/** Too deep, or with a number that JSON parses but cannot write again: it would be stored as null. */
function cannotBeKept(value: Json): boolean {
  let level: Json[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH || level.includes(Infinity) || level.includes(-Infinity)) return true
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? (Object.values(each) as Json[]) : [],
    )
  }
  return false
}
