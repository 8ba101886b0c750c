import type { PathToken } from './path-tokens.ts'
import { ANY_NAME, ANY_PATH, ONE, OPTIONAL_DIRECTORIES, patternTokens } from './path-tokens.ts'

/**
 * Marks text in a subject that the shell inserts and that is unknown before the run. Commands with control characters
 * are refused before matching, so the mark never stands for itself.
 */
export const UNKNOWN = '\0'

export type PatternKind = 'text' | 'host' | 'path'

/** For a longer subject the answer is "may match". */
const MAX_UNKNOWN_SUBJECT = 4096

export function matchesAll(pattern: string | undefined): boolean {
  return pattern === undefined || pattern === '*'
}

/**
 * Whether a pattern matches a subject. `text` (commands, names): `*` matches any characters, and a trailing ` *` also
 * matches no arguments. `host`: the same, but host and path are matched separately, and a pattern without `/` is for
 * the host alone, so a path can never smuggle in another host's name. `path`: `*` and `?` stop at `/`, `**` does not, a
 * leading or inner `** /` (without the space) may match no directory, and a trailing `/**` also matches the directory
 * itself.
 */
export function matchPattern(pattern: string | undefined, subject: string, kind: PatternKind): boolean {
  if (pattern === undefined || pattern === '*') return true
  switch (kind) {
    case 'path':
      return matchPath(pattern, subject)
    case 'host':
      return matchHost(pattern, subject)
    case 'text':
      return matchText(pattern, subject)
  }
}

/** Whether a text pattern can match for some value of the UNKNOWN characters in the subject. */
export function mayMatchText(pattern: string | undefined, subject: string): boolean {
  if (pattern === undefined || pattern === '*') return true
  if (subject.length > MAX_UNKNOWN_SUBJECT) return true
  if (overlaps(pattern, subject)) return true
  return pattern.endsWith(' *') && overlaps(pattern.slice(0, -2), subject)
}

function matchText(pattern: string, subject: string): boolean {
  if (pattern.endsWith(' *') && matchChunks(pattern.slice(0, -2).split('*'), subject)) return true
  return matchChunks(pattern.split('*'), subject)
}

function matchHost(pattern: string, subject: string): boolean {
  const [host, path] = hostAndPath(pattern)
  const [name, place = ''] = hostAndPath(subject)
  return matchText(host.toLowerCase(), name) && (path === undefined || matchText(path, place))
}

function hostAndPath(text: string): readonly [host: string, path?: string] {
  const end = text.indexOf('/')
  return end === -1 ? [text] : [text.slice(0, end), text.slice(end + 1)]
}

/** Matches the chunks between stars from left to right; the first is anchored at the start, the last at the end. */
function matchChunks(chunks: readonly string[], subject: string): boolean {
  const first = chunks[0] ?? ''
  if (chunks.length === 1) return subject === first
  const last = chunks.at(-1) ?? ''
  if (!subject.startsWith(first) || !subject.endsWith(last)) return false
  const end = subject.length - last.length
  let at = first.length
  for (const chunk of chunks.slice(1, -1)) {
    const found = subject.indexOf(chunk, at)
    if (found === -1) return false
    at = found + chunk.length
  }
  return at <= end
}

function matchPath(pattern: string, subject: string): boolean {
  const tokens = patternTokens(pattern.startsWith('./') ? pattern.slice(2) : pattern)
  if (tokens.at(-1) === ANY_PATH && tokens.at(-2) === '/' && runPath(tokens.slice(0, -2), subject))
    return true
  return runPath(tokens, subject)
}

/** Tracks all pattern positions at once, character by character, so that no pattern causes backtracking. */
function runPath(tokens: readonly PathToken[], subject: string): boolean {
  let states = new Uint8Array(tokens.length + 1)
  states[0] = 1
  skipEmpty(tokens, states)
  for (const char of subject.split('')) {
    const next = new Uint8Array(tokens.length + 1)
    for (let at = 0; at < tokens.length; at += 1) {
      if (states[at] === 1) stepPath(tokens[at], at, char, next)
    }
    skipEmpty(tokens, next)
    states = next
  }
  return states[tokens.length] === 1
}

function stepPath(token: PathToken | undefined, at: number, char: string, next: Uint8Array) {
  if (token === ANY_PATH || (token === ANY_NAME && char !== '/')) next[at] = 1
  else if (token === char || (token === ONE && char !== '/')) next[at + 1] = 1
}

function skipEmpty(tokens: readonly PathToken[], states: Uint8Array) {
  for (let at = 0; at < tokens.length; at += 1) {
    if (states[at] !== 1) continue
    const token = tokens[at]
    if (token === OPTIONAL_DIRECTORIES) states[at + 3] = 1
    if (token === ANY_NAME || token === ANY_PATH || token === OPTIONAL_DIRECTORIES) states[at + 1] = 1
  }
}

/** Whether two texts with gaps can be equal: `*` in the pattern, UNKNOWN in the subject. */
function overlaps(pattern: string, subject: string): boolean {
  let states = new Uint8Array(pattern.length + 1)
  states[0] = 1
  for (let at = 0; at < subject.length; at += 1) {
    skipStars(pattern, states)
    const char = subject.charAt(at)
    if (char === UNKNOWN) {
      const first = states.indexOf(1)
      if (first === -1) return false
      states.fill(1, first)
      continue
    }
    const next = new Uint8Array(pattern.length + 1)
    for (let i = 0; i < pattern.length; i += 1) {
      if (states[i] === 0) continue
      if (pattern.charAt(i) === '*') next[i] = 1
      else if (pattern.charAt(i) === char) next[i + 1] = 1
    }
    states = next
  }
  skipStars(pattern, states)
  return states[pattern.length] === 1
}

function skipStars(pattern: string, states: Uint8Array) {
  for (let at = 0; at < pattern.length; at += 1) {
    if (states[at] === 1 && pattern.charAt(at) === '*') states[at + 1] = 1
  }
}
