import type { Json } from '../../../core/json.ts'

/** A longer text is not read. Characters. */
export const MAX_JSON_CHARS = 2 * 1024 * 1024
/** A value that is nested deeper could not be stored, nor shown. */
const MAX_DEPTH = 100
/** Characters looked at in all, so that a text made of beginnings ends too. */
const MAX_STEPS = 8 * MAX_JSON_CHARS

/** undefined: there is none. */
export type FoundJson = { readonly value: Json } | undefined

/**
 * The JSON value that a model's text comes down to: the whole text, or the whole last block between fences, or the last
 * complete object or list in it. Bounded in time and depth whatever the text.
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

/** Of a text that ends with one: a single word or number can stand in it. */
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
    if (end === 'cut') return last // what stands inside something unfinished is not the value
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

/** Finds where a value ends that begins at a place. */
class Reader {
  readonly #text: string
  steps = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The place behind the object or list that begins here; `cut`: it has no end; undefined: it is none. */
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

  /** Of what stands between brackets: a string, a number, a word, a comma, white space. The same place: of nothing. */
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

/** A string that goes on to the end of the text. */
const CUT = /"(?:[^"\\\u0000-\u001f]|\\.)*$/y

/** Each branch begins with another character, and none repeats what another could take: it cannot backtrack. */
const TOKEN = /"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrtu])*"|[\s,:]+|[-+.0-9eE]+|true|false|null/y

/** Too deep, or with a number that JSON reads and cannot write again: it would be kept as null. */
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
