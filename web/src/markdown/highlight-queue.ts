import type { CodeToken } from './highlight.ts'

export interface HighlightQuestion {
  readonly id: number
  readonly code: string
  readonly language: string
}

export interface HighlightAnswer {
  readonly id: number
  /** undefined: it has no colours. */
  readonly tokens: readonly CodeToken[][] | undefined
}

/** What the queue needs of a `Worker`. */
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

/** A pattern that takes this long on capped lines does not end; its code stays plain. Milliseconds. */
const STUCK_MS = 60_000

/**
 * Asks a worker for the colours of one piece of code at a time. Code that changes while it waits is asked for once, as
 * it is then: a block that grows does not pile up work.
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

  /** Asks; the returned function withdraws the question. */
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
    // A question that was withdrawn meanwhile has nobody to tell.
    if (asked && tokens) asked.onTokens(tokens)
    this.#next()
  }

  /** The code that was asked for stays plain; the next question goes to a new worker. */
  #giveUp(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#settled()
    this.#next()
  }

  /** What was asked, where it is still wanted. */
  #settled(): Waiting | undefined {
    clearTimeout(this.#timer)
    const asked = this.#asked
    this.#asked = undefined
    if (!asked || !this.#waiting.delete(asked.id)) return undefined
    return asked
  }
}

let queue: HighlightQueue | undefined

/** The colours of code, as soon as they are there. The returned function withdraws the question. */
export function askForColours(code: string, language: string, onTokens: OnTokens): () => void {
  queue ??= new HighlightQueue(
    () => new Worker(new URL('highlight-worker.ts', import.meta.url), { type: 'module' }),
  )
  return queue.ask(code, language, onTokens)
}
