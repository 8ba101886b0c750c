import type { PathToken } from './path-tokens.ts'
import { ANY_NAME, ANY_PATH, ONE, OPTIONAL_DIRECTORIES, PLAIN_START, patternTokens } from './path-tokens.ts'
import { UNKNOWN } from './match-pattern.ts'

/**
 * The paths that a word may name: literal characters, and gaps for text that only the shell or a directory walk finds.
 */
export type PathShape = readonly PathToken[]

/** Everything below a directory, without the directory itself. */
export function shapeBelow(directory: string): PathShape {
  const start = directory === '.' ? [] : [...directory, ...(directory.endsWith('/') ? [] : ['/'])]
  return [...start, ANY_PATH]
}

/** The paths below a directory that a shell glob matches. A gap with unknown content may hold any path. */
export function shapeOfGlob(directory: string, glob: string): PathShape {
  const start = directory === '.' ? [] : [...directory, ...(directory.endsWith('/') ? [] : ['/'])]
  if (glob.includes('..') || glob.includes(UNKNOWN)) return [ANY_PATH]
  return [...start, ...globTokens(glob)]
}

const GLOB_PART = /\[[^\]/]*\]|[+@!?*]\([^)]*\)|\*\*\/?|[*?]|[^]/g

function globTokens(glob: string): readonly PathToken[] {
  let start = true
  return [...glob.replaceAll(/\/+/g, '/').matchAll(GLOB_PART)].flatMap(([part]) => {
    const tokens = globToken(part, start)
    start = part.endsWith('/')
    return tokens
  })
}

/** A `*` at the start of a name does not match a leading dot. */
function globToken(part: string, start: boolean): readonly PathToken[] {
  if (part.startsWith('**')) return [ANY_PATH]
  if (part === '*') return start ? [PLAIN_START, ANY_NAME] : [ANY_NAME]
  if (part === '?') return [ONE]
  if (part.startsWith('[') && part.length > 1) return [ONE]
  if (part.length > 1) return [ANY_NAME]
  return [part]
}

/** Above this much work the answer is "may match". */
const MAX_STATES = 400_000

/** Whether any path of the shape matches the pattern. */
export function mayMatchPath(pattern: string | undefined, shape: PathShape): boolean {
  if (pattern === undefined || pattern === '*') return true
  const tokens = patternTokens(pattern.startsWith('./') ? pattern.slice(2) : pattern)
  if ((tokens.length + 1) * (shape.length + 1) > MAX_STATES) return true
  const whole = tokens.at(-1) === ANY_PATH && tokens.at(-2) === '/'
  return intersects(tokens, shape) || (whole && intersects(tokens.slice(0, -2), shape))
}

/** Whether two token lists can match the same text: a search over pairs of positions. */
function intersects(a: readonly PathToken[], b: readonly PathToken[]): boolean {
  const width = b.length + 1
  const seen = new Uint8Array((a.length + 1) * width)
  const stack = [0]
  const push = (i: number, j: number) => {
    const state = i * width + j
    if (i > a.length || j > b.length || seen[state] === 1) return
    seen[state] = 1
    stack.push(state)
  }
  while (stack.length > 0) {
    const state = stack.pop() ?? 0
    const i = Math.floor(state / width)
    const j = state % width
    if (i === a.length && j === b.length) return true
    for (const skip of skips(a[i])) push(i + skip, j)
    for (const skip of skips(b[j])) push(i, j + skip)
    if (sharesCharacter(a[i], b[j])) push(after(a[i], i), after(b[j], j))
  }
  return false
}

/** How many positions can be skipped without consuming a character. */
function skips(token: PathToken | undefined): readonly number[] {
  if (token === ANY_NAME || token === ANY_PATH) return [1]
  if (token === OPTIONAL_DIRECTORIES) return [1, 3]
  return token === PLAIN_START ? [2] : []
}

function after(token: PathToken | undefined, at: number): number {
  return token === ANY_NAME || token === ANY_PATH ? at : at + 1
}

function sharesCharacter(a: PathToken | undefined, b: PathToken | undefined): boolean {
  if (a === undefined || b === undefined) return false
  if (a === OPTIONAL_DIRECTORIES || b === OPTIONAL_DIRECTORIES) return false
  if (typeof a === 'string') return typeof b === 'string' ? a === b : takes(b, a)
  return typeof b !== 'string' || takes(a, b)
}

function takes(token: PathToken, char: string): boolean {
  if (token === ANY_PATH) return true
  return char !== '/' && !(token === PLAIN_START && char === '.')
}
