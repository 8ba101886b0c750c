/**
 * Text of tools, models and files on its way to a terminal: nothing in it may be read as a command by the terminal.
 * C0 (but tab and line feed), DEL, C1 and what turns the direction of writing become visible, so that a person sees
 * that something was there.
 */
export function terminalText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(COMMANDS, picture)
}

const COMMANDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu

/** The same on one line, for titles. */
export function terminalLine(text: string): string {
  return terminalText(text.replace(/\s+/g, ' ').trim())
}

function picture(char: string): string {
  const code = char.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}
