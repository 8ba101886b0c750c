/** One step of a path pattern: a character, or one of the gaps below. */
export type PathToken =
  | string
  | typeof ONE
  | typeof ANY_NAME
  | typeof ANY_PATH
  | typeof OPTIONAL_DIRECTORIES
  | typeof PLAIN_START

/** One character of a name. */
export const ONE = 1
/** Any characters of a name. */
export const ANY_NAME = 2
/** Any characters, including `/`. */
export const ANY_PATH = 3
/** Precedes `ANY_PATH` and `/`: both are optional. */
export const OPTIONAL_DIRECTORIES = 4
/** Precedes `ANY_NAME`: the match is empty or does not start with a dot. */
export const PLAIN_START = 5

/** Tokenizes the path pattern of a rule. */
export function patternTokens(pattern: string): readonly PathToken[] {
  const tokens: PathToken[] = []
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at)
    if (char === '?') tokens.push(ONE)
    else if (char !== '*') tokens.push(char)
    else if (pattern.charAt(at + 1) !== '*') tokens.push(ANY_NAME)
    else {
      const starts = at === 0 || pattern.charAt(at - 1) === '/'
      if (starts && pattern.charAt(at + 2) === '/') tokens.push(OPTIONAL_DIRECTORIES)
      tokens.push(ANY_PATH)
      at += 1
    }
  }
  return tokens
}
