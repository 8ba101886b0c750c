/**
 * The lines of a stream of UTF-8. Of a line with more than `maxChars` only its beginning is kept, with one character more
 * than that: who reads it sees that it is too long.
 */
export async function* boundedLines(
  stream: AsyncIterable<unknown>,
  maxChars: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let line = ''
  let hasLine = false
  const add = (text: string) => {
    hasLine = true
    if (line.length <= maxChars) line += text.slice(0, maxChars + 1 - line.length)
  }
  const take = (): string => {
    const whole = line.endsWith('\r') ? line.slice(0, -1) : line
    line = ''
    hasLine = false
    return whole
  }
  for await (const chunk of stream) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk as Uint8Array, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      add(text.slice(start, end))
      yield take()
      start = end + 1
    }
    if (start < text.length) add(text.slice(start))
  }
  add(decoder.decode())
  if (hasLine && line !== '') yield take()
}
