/**
 * JSON on its way to people: what a terminal could take for a command, and what some readers take for the end of a line, is
 * escaped. JSON itself leaves DEL, C1, U+2028, U+2029 and the marks of writing direction as they are; the value stays the
 * same.
 */
export function harmlessJson(json: string): string {
  return json.replace(UNESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const UNESCAPED = /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu
