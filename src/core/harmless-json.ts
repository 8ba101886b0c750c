/**
 * JSON for output to people: escapes characters that could control a terminal, and those that some readers take for a
 * line end. JSON itself does not escape DEL, C1, U+2028, U+2029 and bidirectional marks; the value stays the same.
 */
export function harmlessJson(json: string): string {
  return json.replace(UNESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const UNESCAPED = /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu
