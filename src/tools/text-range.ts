/** Selects lines of a text that arrives in pieces, in bounded memory. Lines start at 1. */
export class LineRange {
  readonly #first: number
  readonly #count: number
  readonly #maxLine: number
  readonly lines: string[] = []
  /** Number of the current line. */
  #number = 1
  #line = ''
  #length = 0
  #any = false

  constructor(first: number, count: number, maxLine: number) {
    this.#first = first
    this.#count = count
    this.#maxLine = maxLine
  }

  /** Whether the last requested line is complete. */
  get satisfied(): boolean {
    return this.#number >= this.#first + this.#count
  }

  /** Number of lines so far; a final line feed starts no new line. */
  get total(): number {
    return this.#any || this.#length > 0 ? this.#number - (this.#length === 0 ? 1 : 0) : 0
  }

  push(text: string): void {
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#add(text, start, end)
      this.#close()
      start = end + 1
    }
    this.#add(text, start, text.length)
  }

  end(): void {
    if (this.#length > 0) this.#keep()
  }

  #add(text: string, start: number, end: number): void {
    this.#any = true
    const room = this.#wanted() ? this.#maxLine + 1 - this.#line.length : 0
    if (room > 0) this.#line += text.slice(start, Math.min(end, start + room))
    this.#length += end - start
  }

  #close(): void {
    this.#keep()
    this.#number++
    this.#line = ''
    this.#length = 0
  }

  #wanted(): boolean {
    return this.#number >= this.#first && this.#number < this.#first + this.#count
  }

  #keep(): void {
    if (!this.#wanted()) return
    const whole = this.#length === this.#line.length
    const line = whole ? this.#line.replace(/\r$/, '') : this.#line
    this.lines.push(line.length > this.#maxLine ? this.#cut(line) : line)
  }

  #cut(line: string): string {
    return `${line.slice(0, this.#maxLine).toWellFormed()} [line cut: ${this.#length} characters]`
  }
}
