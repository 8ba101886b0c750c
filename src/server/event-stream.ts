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
  /** Starts with durable events after this one. */
  readonly after: number
  /** Current streaming answers. */
  readonly partials: () => readonly PartialMessage[]
  /** Aborted when the server stops, or the client's session ends. */
  readonly ending: AbortSignal
  /** Closes the connection of a client that stopped reading. */
  readonly cut: () => void
}

/** Most unread bytes of a slow client; beyond that it needs a new snapshot. */
const MAX_OWED = 1024 * 1024
const HEARTBEAT_MS = 15_000
/** Time without any read after which the connection is closed. */
const PATIENCE_MS = 60_000

const encoder = new TextEncoder()
const BEGIN = encoder.encode('retry: 1000\n: connected\n\n')
const HEARTBEAT = encoder.encode(': heartbeat\n\n')

/**
 * The events of a conversation for one client: stored events after a `seq`, streaming answers, then new events. Stored
 * events are read as fast as the client accepts them and never buffered. At most 1 MiB of new events waits; a slower
 * client gets `reset`, must load a new snapshot, and its stream ends.
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
    if (options.after > options.topic.seq) this.#reset('unknown') // from another store, or one restored from a backup
    else this.#beat()
  }

  /** There is room: sends waiting events first, then stored ones. */
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

  /** Reads one page. After the last stored event come the streaming answers, from their start. */
  #catchUp(): void {
    const events = this.#follow.page(this.#options.topic.seq) // the others are about to be emitted
    this.#put(framesOf(events, this.#secrets))
    if (this.#follow.isBehind || this.#isOver) return
    this.#put(framesOf(this.#streaming(), this.#secrets))
  }

  /** Every part being streamed, from its start: live text is not stored for later clients. */
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
    if (!this.#hasRoom) clock.after(PATIENCE_MS, cut) // what it has not read by then, it never will
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
