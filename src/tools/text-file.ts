import { ToolError } from './port.ts'

export type LineEnding = '\n' | '\r\n'

/** The text of a file, and the format to restore when writing it. */
export interface TextFile {
  /** With `\n` line ends, unless the file mixes both kinds; without a byte order mark. */
  readonly text: string
  readonly ending: LineEnding
  readonly mark: boolean
}

const BYTE_ORDER_MARK = '\ufeff'

/** @throws ToolError `binary` for a file that is not UTF-8, because writing it back would destroy it. */
export function decodeText(bytes: Uint8Array, name: string): TextFile {
  const raw = decode(bytes, name)
  const mark = raw.startsWith(BYTE_ORDER_MARK)
  const text = mark ? raw.slice(1) : raw
  const ending = endingOf(text)
  return { text: ending === '\r\n' ? toLineFeeds(text) : text, ending, mark }
}

/** The bytes of a file with new text, keeping its line ends and byte order mark. */
export function encodeText(file: TextFile, text: string): Buffer {
  const body = file.ending === '\r\n' ? toLineFeeds(text).replaceAll('\n', '\r\n') : text
  return Buffer.from(file.mark ? BYTE_ORDER_MARK + body : body)
}

export function toLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // throws below
  }
  throw new ToolError('binary', `${name} is not UTF-8 text (${bytes.length} bytes); it cannot be edited here`)
}

/** `\r\n` only if every line ends with it; a mixed file stays exactly as it is. */
function endingOf(text: string): LineEnding {
  const feeds = text.split('\n').length - 1
  const pairs = text.split('\r\n').length - 1
  const returns = text.split('\r').length - 1
  return pairs > 0 && pairs === feeds && pairs === returns ? '\r\n' : '\n'
}
