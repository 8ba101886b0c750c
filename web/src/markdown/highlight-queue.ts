import type { CodeToken } from './highlight.ts'

export interface HighlightQuestion {
  readonly id: number
  readonly code: string
  readonly language: string
}

export interface HighlightAnswer {
  readonly id: number
  /** undefined: not highlighted. */
  readonly tokens: readonly CodeToken[][] | undefined
}

/** The part of a `Worker` that the queue uses. */
export interface HighlightWorker {
  postMessage(question: HighlightQuestion): void
  addEventListener(type: 'message', listener: (event: { readonly data: HighlightAnswer }) => void): void
  addEventListener(type: 'error', listener: () => void): void
  terminate(): void
}

type OnTokens = (tokens: readonly CodeToken[][]) => void

interface Waiting extends HighlightQuestion {
  readonly onTokens: OnTokens
}

/** With capped lines, a pattern that takes this long never ends; its code stays plain. Milliseconds. */
const STUCK_MS = 60_000

/**
 * Highlights one piece of code at a time in a worker. Waiting code that changes is requested once, in its latest form,
 * so that a growing block does not pile up work.
 */
export class HighlightQueue {
  readonly #start: () => HighlightWorker
  readonly #waiting = new Map<number, Waiting>()
  #worker: HighlightWorker | undefined
  #asked: Waiting | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #lastId = 0

  constructor(start: () => HighlightWorker) {
    this.#start = start
  }

  /** Requests highlighting; the returned function cancels the request. */
  ask(code: string, language: string, onTokens: OnTokens): () => void {
    const id = ++this.#lastId
    this.#waiting.set(id, { id, code, language, onTokens })
    this.#next()
    return () => void this.#waiting.delete(id)
  }

  #next(): void {
    const [next] = this.#waiting.values()
    if (this.#asked || !next) return
    this.#asked = next
    this.#timer = setTimeout(() => this.#giveUp(), STUCK_MS)
    this.#worker ??= this.#started()
    const { id, code, language } = next
    this.#worker.postMessage({ id, code, language })
  }

  #started(): HighlightWorker {
    const worker = this.#start()
    worker.addEventListener('message', ({ data }) => this.#answered(data))
    worker.addEventListener('error', () => this.#giveUp())
    return worker
  }

  #answered({ id, tokens }: HighlightAnswer): void {
    if (this.#asked?.id !== id) return
    const asked = this.#settled()
    // The request was cancelled in the meantime.
    if (asked && tokens) asked.onTokens(tokens)
    this.#next()
  }

  /** The requested code stays plain; the next request goes to a new worker. */
  #giveUp(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#settled()
    this.#next()
  }

  /** The current request, if it is still wanted. */
  #settled(): Waiting | undefined {
    clearTimeout(this.#timer)
    const asked = this.#asked
    this.#asked = undefined
    if (!asked || !this.#waiting.delete(asked.id)) return undefined
    return asked
  }
}

let queue: HighlightQueue | undefined

/** Highlights code asynchronously. The returned function cancels the request. */
export function askForColours(code: string, language: string, onTokens: OnTokens): () => void {
  queue ??= new HighlightQueue(
    () => new Worker(new URL('highlight-worker.ts', import.meta.url), { type: 'module' }),
  )
  return queue.ask(code, language, onTokens)
}
