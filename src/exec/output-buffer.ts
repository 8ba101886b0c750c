/** Keeps the head and tail of a text of any length in bounded memory. Sizes are characters. */
export class OutputBuffer {
  readonly #headSize: number
  readonly #tailSize: number
  #head = ''
  #tail: string[] = []
  #tailLength = 0
  #droppedBytes = 0

  constructor(headSize: number, tailSize: number) {
    this.#headSize = headSize
    this.#tailSize = tailSize
  }

  get droppedBytes(): number {
    return this.#droppedBytes
  }

  push(text: string): void {
    const room = this.#tailLength === 0 && this.#droppedBytes === 0 ? this.#headSize - this.#head.length : 0
    const split = cutPoint(text, room)
    this.#head += text.slice(0, split)
    if (split < text.length) this.#pushTail(text.slice(split))
  }

  /** The text, with a line for the missing part, if any. */
  text(): string {
    if (this.#droppedBytes === 0) return this.#head + this.#tail.join('')
    return `${this.#head}\n[... ${this.#droppedBytes} bytes left out ...]\n${this.#tail.join('')}`
  }

  #pushTail(text: string): void {
    this.#tail.push(text)
    this.#tailLength += text.length
    while (this.#tailLength > this.#tailSize) this.#dropFront(this.#tailLength - this.#tailSize)
  }

  #dropFront(excess: number): void {
    const first = this.#tail[0] ?? ''
    const cut =
      excess >= first.length ? first.length : first.length - cutPoint(first, first.length - excess, true)
    this.#droppedBytes += Buffer.byteLength(first.slice(0, cut))
    this.#tailLength -= cut
    if (cut === first.length) this.#tail.shift()
    else this.#tail[0] = first.slice(cut)
  }
}

/** How many of `room` characters to take from an end of the text without splitting a surrogate pair. */
function cutPoint(text: string, room: number, fromEnd = false): number {
  const size = Math.max(0, Math.min(room, text.length))
  if (size === 0 || size === text.length) return size
  const index = fromEnd ? text.length - size : size
  const code = text.charCodeAt(index)
  return code >= 0xdc00 && code <= 0xdfff ? size - 1 : size
}
