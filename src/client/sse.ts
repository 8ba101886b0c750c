import { createParser } from 'eventsource-parser'

/** One message of an event stream. */
export interface ServerMessage {
  readonly type: string
  readonly data: string
}

export interface StreamReader {
  /** Accepts the next chunk of the stream, cut anywhere; returns the completed messages. */
  push(chunk: string): readonly ServerMessage[]
}

/** Reads `text/event-stream`. The byte decoder removes a byte order mark. */
export function readServerMessages(): StreamReader {
  const messages: ServerMessage[] = []
  const { feed } = createParser({
    onEvent: ({ event = 'message', data }) => void messages.push({ type: event, data }),
  })
  return {
    push(chunk) {
      feed(chunk)
      return messages.splice(0)
    },
  }
}
