import type { Clock } from '../core/clock.ts'
import type { OffshootEvent } from '../core/events.ts'
import { Follow } from '../runtime/log/follow.ts'
import type { PartialMessage } from '../runtime/run/partial-message.ts'
import { maskPartial, partialDeltas } from './stored-partials.ts'
import type { SecretMask } from '../core/secrets/mask.ts'
import { framesOf, type Batch, type Topic } from './event-topic.ts'
import type { Store } from './directory-runtimes.ts'

export interface StreamOptions {
  readonly topic: Topic
  readonly store: Store
  readonly clock: Clock
  /** Durable events after this come first. */
  readonly after: number
  /** The answers that are being streamed, as they are now. */
  readonly partials: () => readonly PartialMessage[]
  /** Aborted when the server ends, or the session of the client. */
  readonly ending: AbortSignal
  /** Ends the connection of a client that reads nothing any more. */
  readonly cut: () => void
}

/** What a slow client may owe, bytes; beyond that it takes a new snapshot. */
const MAX_OWED = 1024 * 1024
const HEARTBEAT_MS = 15_000
/** How long a client may leave everything unread before its connection ends. */
const PATIENCE_MS = 60_000

const encoder = new TextEncoder()
const BEGIN = encoder.encode('retry: 1000\n: connected\n\n')
const HEARTBEAT = encoder.encode(': heartbeat\n\n')

/**
 * The events of a conversation for one client: what is stored after a `seq`, what is being streamed, then what happens.
 * What is stored is read as fast as the client takes it, and never held here. Of what happens at most 1 MiB waits; a client
 * that owes more is told to take a new snapshot (`reset`), and the stream ends.
 */
export function eventStream(options: StreamOptions): ReadableStream<Uint8Array> {
  let outlet: Outlet
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => void (outlet = new Outlet(options, controller)),
      pull: () => outlet.pull(),
      cancel: () => outlet.close(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
  )
}

class Outlet {
  readonly #options: StreamOptions
  readonly #controller: ReadableStreamDefaultController<Uint8Array>
  readonly #follow: Follow
  #isOver = false
  #waiting: Uint8Array[] = []
  #owed = 0
  #cancelTimer = () => {}
  #readAt: number

  constructor(options: StreamOptions, controller: ReadableStreamDefaultController<Uint8Array>) {
    this.#options = options
    this.#controller = controller
    this.#follow = Follow.after(options.store, options.topic.id, options.after)
    this.#readAt = options.clock.now()
    options.topic.listeners.add(this)
    options.ending.addEventListener('abort', this.#onEnding)
    controller.enqueue(BEGIN)
    if (options.after > options.topic.seq) this.#reset('unknown') // of another store, or of one that was put back
    else this.#beat()
  }

  /** There is room: what waits goes first, then what is stored. */
  pull(): void {
    this.#readAt = this.#options.clock.now()
    this.#flush()
    while (!this.#isOver && this.#follow.isBehind && this.#hasRoom) this.#catchUp()
  }

  notify({ events, bytes }: Batch): void {
    if (this.#isOver || this.#follow.isBehind) return
    const fresh = this.#follow.takeNew(events)
    this.#put(fresh === events ? bytes : framesOf(fresh, this.#secrets))
  }

  renew(): void {
    this.#reset('owner')
  }

  end(): void {
    this.#reset('deleted')
  }

  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#waiting = []
    this.#cancelTimer()
    this.#options.topic.listeners.delete(this)
    this.#options.ending.removeEventListener('abort', this.#onEnding)
  }

  readonly #onEnding = () => {
    this.#flush()
    this.#finish()
  }

  get #hasRoom(): boolean {
    return (this.#controller.desiredSize ?? 0) > 0
  }

  #put(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#waiting.push(bytes)
    this.#owed += bytes.length
    this.#flush()
    if (this.#owed > MAX_OWED) this.#reset('slow')
  }

  #flush(): void {
    while (this.#hasRoom) {
      const bytes = this.#waiting.shift()
      if (!bytes) return
      this.#owed -= bytes.length
      this.#controller.enqueue(bytes)
    }
  }

  /** One page. At the end of what is stored comes what is being streamed, from its beginning. */
  #catchUp(): void {
    const events = this.#follow.page(this.#options.topic.seq) // the others are about to be told
    this.#put(framesOf(events, this.#secrets))
    if (this.#follow.isBehind || this.#isOver) return
    this.#put(framesOf(this.#streaming(), this.#secrets))
  }

  /** Each part that is being streamed, from its beginning: of live text nothing is stored for those that come later. */
  #streaming(): OffshootEvent[] {
    const { partials, clock, topic, store } = this.#options
    const scope = { conversationId: topic.id, seq: this.#follow.seq, sub: 0, at: clock.now() }
    return partialDeltas(
      store,
      partials().map((each) => maskPartial(each, this.#secrets)),
      scope,
    )
  }

  #reset(reason: 'slow' | 'unknown' | 'owner' | 'deleted'): void {
    if (this.#isOver) return
    const data = JSON.stringify({ reason, seq: this.#options.topic.seq })
    this.#controller.enqueue(encoder.encode(`event: reset\ndata: ${data}\n\n`))
    this.#finish()
  }

  #finish(): void {
    if (this.#isOver) return
    const { clock, cut } = this.#options
    this.close()
    this.#controller.close()
    if (!this.#hasRoom) clock.after(PATIENCE_MS, cut) // what it has not read by then it never will
  }

  #beat(): void {
    this.#cancelTimer = this.#options.clock.after(HEARTBEAT_MS, () => {
      if (this.#hasRoom) this.#controller.enqueue(HEARTBEAT)
      else if (this.#options.clock.now() - this.#readAt > PATIENCE_MS) return this.#cut()
      this.#beat()
    })
  }

  get #secrets(): SecretMask {
    return this.#options.topic.secrets
  }

  #cut(): void {
    this.#options.cut()
    this.#finish()
  }
}
