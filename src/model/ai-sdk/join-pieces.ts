import type { HttpBody, HttpBodyRead } from '../body.ts'

/**
 * Events of a chat completion that arrive together and bring more of the same, of a text or of the arguments of a call,
 * as one event with the whole of it: to the streams of the providers' package an event costs far more than what is in
 * it. An event that says nothing but why the answer ends comes with the end of the body, as the package tells it then.
 * Everything else passes as it came, byte for byte.
 */
export function joinPieces(body: HttpBody): HttpBody {
  return {
    cancel: (reason) => body.cancel(reason),
    getReader() {
      const reader = body.getReader()
      const joiner = new Joiner()
      /** How the body ended. */
      let end: Promise<HttpBodyRead> | undefined
      const read = async (): Promise<HttpBodyRead> => {
        for (;;) {
          if (end) return await end
          const reading = reader.read()
          const read = await reading.catch(() => undefined)
          const isOver = !read || read.done
          if (isOver) end = reading
          const value = isOver ? joiner.rest() : joiner.take(read.value)
          if (value.length > 0) return { done: false, value }
        }
      }
      return { read, cancel: (reason) => reader.cancel(reason), releaseLock: () => reader.releaseLock() }
    },
  }
}

/** No read of a socket is as long. Bytes. */
const MAX_JOINED = 1024 * 1024
/** An end is some hundred bytes. */
const MAX_HELD = 16 * 1024

/** Takes the bytes of an event stream in the order in which they come. */
export class Joiner {
  /** The places of the calls whose names have come; undefined where one may have come in an event that was cut. */
  #named: Set<string> | undefined = new Set()
  #isBetweenEvents = true
  /** From the end on, as long as nothing else comes. */
  #held: Uint8Array = NOTHING

  /** What is to be handed on now. */
  take(bytes: Uint8Array): Uint8Array {
    const held = this.#held
    const { joined, end } = this.#join(bytes, held.length > 0)
    const now = end > 0 ? both(held, joined.subarray(0, end)) : NOTHING
    const kept = end > 0 ? joined.subarray(end) : both(held, joined)
    const isTooLong = kept.length > MAX_HELD
    this.#held = isTooLong ? NOTHING : kept
    return isTooLong ? both(now, kept) : now
  }

  /** What was kept for the end. */
  rest(): Uint8Array {
    return this.#held
  }

  #join(bytes: Uint8Array, isEnding: boolean): Joined {
    if (bytes.length === 0) return { joined: bytes, end: 0 }
    if (bytes.length > MAX_JOINED) {
      this.#isBetweenEvents = false // as far as is known
      this.#named = undefined
      return { joined: bytes, end: bytes.length }
    }
    // a character a byte, so that one that is cut in its middle comes out as it went in
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    const begin = this.#isBetweenEvents ? 0 : afterEvent(text, 0)
    this.#isBetweenEvents = text.endsWith(END)
    if (begin > 0 || !this.#isBetweenEvents) this.#named = undefined
    const { joined, end } = joinEvents(text, begin, isEnding, this.#named)
    return { joined: joined.length === text.length ? bytes : Buffer.from(joined, 'latin1'), end }
  }
}

interface Joined<T = Uint8Array> {
  readonly joined: T
  /** Where the end of the answer begins; the length where there is none. */
  readonly end: number
}

const NOTHING = new Uint8Array()

function both(first: Uint8Array, second: Uint8Array): Uint8Array {
  return first.length === 0 ? second : Buffer.concat([first, second])
}

const END = '\n\n'

/** Where the event that stands at `from` is over; the end of the text where it is not. */
function afterEvent(text: string, from: number): number {
  const end = text.indexOf(END, from)
  return end < 0 ? text.length : end + END.length
}

type Named = Set<string> | undefined

function joinEvents(text: string, begin: number, isEnding: boolean, named: Named): Joined<string> {
  let joined = text.slice(0, begin)
  let end = isEnding ? 0 : undefined
  for (let at = begin; at < text.length;) {
    const event = text.slice(at, afterEvent(text, at))
    if (isEnd(event)) end ??= joined.length
    else if (end !== undefined && !isAfterEnd(event)) end = undefined
    const row = rowFrom(text, at, event, named)
    joined += row?.joined ?? event
    at = row?.end ?? at + event.length
  }
  return { joined, end: end ?? joined.length }
}

const MAX_END = 4 * 1024
const NOTHING_NEW = /"delta":\{(?:"role":"assistant",?)?(?:"content":(?:""|null))?\}/
const REASON = '"finish_reason":"'

/** It says why the answer ends, and nothing else. */
function isEnd(event: string): boolean {
  const reason = event.indexOf(REASON)
  if (reason < 0 || event[reason + REASON.length] === '"') return false
  return NOTHING_NEW.test(event) && isSmall(event)
}

/** What comes behind that: figures, comments, and that it was all. */
function isAfterEnd(event: string): boolean {
  if (event.startsWith(':') || event === 'data: [DONE]\n\n') return event.endsWith(END)
  return event.includes('"choices":[]') && isSmall(event)
}

function isSmall(event: string): boolean {
  return event.endsWith('}\n\n') && event.length <= MAX_END && !event.includes('"error"')
}

/** An event that others can follow which bring more of the same. */
interface Opened {
  /** How such a one begins, up to the quotation mark before what is new. */
  readonly before: readonly string[]
  /** How it ends, from the quotation mark behind that. */
  readonly after: string
}

const DELTA = '"delta":{'
/** What stands in a delta before its text, and before the arguments of its one call. */
const TEXT = /(?:"role":"assistant",)?(?:"content":null,)?"(?:content|reasoning_content|reasoning)":"/y
const CALL =
  /"tool_calls":\[\{(?:"(?:index":\d+|id":"[^"\\]*"|type":"function"),)*"function":\{(?:"name":"[^"\\]*",)?"arguments":"/y
const PLACE = /"index":\d+,/
/** What the first event of an answer or of a call has, and those with more of it may lack. */
const OF_THE_FIRST = /"(?:role|id|type|name)":"[^"]*",/g
/** The inside of a string (RFC 8259, section 7). */
const INSIDE = /[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*/y
/** Nothing else is in the delta. */
const TEXT_END = /"\}[,}]/y
const CALL_END = /"\}\}\]\}[,}]/y

function openedBy(event: string, named: Named): Opened | undefined {
  if (!event.startsWith('data: {') || !event.endsWith('}\n\n')) return undefined
  const delta = event.indexOf(DELTA) + DELTA.length
  if (delta < DELTA.length || event.includes('"delta":', delta)) return undefined
  const isCall = event.startsWith('"tool_calls"', delta)
  const begin = endOf(isCall ? CALL : TEXT, event, delta)
  if (begin < 0) return undefined
  const end = endOf(INSIDE, event, begin)
  if (endOf(isCall ? CALL_END : TEXT_END, event, end) < 0) return undefined
  const before = event.slice(0, begin)
  const opening = event.slice(delta, begin)
  const plain = event.slice(0, delta) + opening.replace(OF_THE_FIRST, '')
  const after = event.slice(end)
  if (!opening.includes('"name":')) return { before: [before, plain], after }
  // the same name again would be another call, and in a place that has one already the package has to see it alone
  const [place] = PLACE.exec(opening) ?? []
  if (!named || place === undefined || named.has(place)) return undefined
  named.add(place)
  return { before: [plain], after }
}

/** The events from one on that bring more of the same, as one; undefined where it stands alone. */
function rowFrom(text: string, at: number, event: string, named: Named) {
  const opened = openedBy(event, named)
  const first = at + event.length
  const next = opened?.before.find((each) => stands(each, text, first))
  if (!opened || next === undefined) return undefined
  const { after } = opened
  let joined = event.slice(0, -after.length)
  let end = first
  while (stands(next, text, end)) {
    const from = end + next.length
    const to = endOf(INSIDE, text, from)
    if (!stands(after, text, to)) break
    joined += text.slice(from, to)
    end = to + after.length
  }
  return { joined: joined + after, end }
}

/** What `startsWith` says, which compares a character at a time. */
function stands(part: string, text: string, at: number): boolean {
  return text.slice(at, at + part.length) === part
}

/** Where a match that begins at `from` is over; -1: none does. */
function endOf(sticky: RegExp, text: string, from: number): number {
  sticky.lastIndex = from
  return sticky.test(text) ? sticky.lastIndex : -1
}
