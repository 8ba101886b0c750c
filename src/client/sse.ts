/** One message of an event stream. */
export interface ServerMessage {
  readonly type: string
  readonly data: string
}

export interface StreamReader {
  /** Takes the next piece of the stream, cut wherever; returns the messages that it completes. */
  take(chunk: string): readonly ServerMessage[]
  /** The last `id` that came with a message; undefined: none. A stream is resumed after it. */
  readonly lastId: string | undefined
}

/** Reads `text/event-stream` (WHATWG HTML, Server-sent events): id, event and data; comments are passed over. */
export function readServerMessages(): StreamReader {
  let rest = ''
  let lastId: string | undefined
  let id: string | undefined
  let type = ''
  let data: string[] = []
  let isFirst = true
  const messages: ServerMessage[] = []
  const dispatch = () => {
    if (data.length > 0) {
      if (id !== undefined) lastId = id
      messages.push({ type: type || 'message', data: data.join('\n') })
    }
    type = ''
    data = []
  }
  const line = (text: string) => {
    if (text === '') return dispatch()
    const colon = text.indexOf(':')
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event') type = value
    else if (field === 'id' && !value.includes('\0')) id = value
  }
  return {
    get lastId() {
      return lastId
    },
    take(chunk) {
      rest += chunk
      if (isFirst && rest !== '') {
        isFirst = false
        rest = rest.replace(/^\uFEFF/, '')
      }
      // a CR at the end may be half of a CRLF: it is read with what follows
      const end = rest.endsWith('\r') ? rest.length - 1 : rest.length
      const lines = rest.slice(0, end).split(/\r\n|\r|\n/)
      rest = lines.pop()! + rest.slice(end)
      lines.forEach(line)
      return messages.splice(0)
    },
  }
}
