/**
 * Makes text of tools, models and files safe for a terminal: C0 (except tab and line feed), DEL, C1 and bidirectional
 * controls become visible, so that a person sees that something was there.
 */
export function terminalText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(COMMANDS, picture)
}

/**
 * `\p{Bidi_Control}` spelled out: every start needs this expression, and compiling that property takes milliseconds.
 */
const COMMANDS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The same on one line, for titles. */
export function terminalLine(text: string): string {
  return terminalText(text.replace(/\s+/g, ' ').trim())
}

function picture(char: string): string {
  const code = char.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}
