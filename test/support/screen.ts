import { widthOf } from '../../src/cli/terminal/progress/text-width.ts'

interface Row {
  cells: string[]
  /** It goes on in the next row: together they are one line. */
  broken: boolean
}

/**
 * What a person sees of what a program writes to a terminal: text, CR, LF, cursor up and to a column, clearing, colours
 * (left out). Rows are broken anew when the width changes, as most terminals do, and scroll away at the top.
 */
export class Screen {
  #columns: number
  #height: number
  /** What has scrolled away, then the screen as far down as it was written. */
  #rows: Row[] = [{ cells: [], broken: false }]
  #y = 0
  #x = 0

  constructor(columns: number, height: number) {
    this.#columns = columns
    this.#height = height
  }

  write(text: string): void {
    for (const [token] of text.matchAll(/\u001b\[([\d;?]*)([A-Za-z])|[^]/gu)) {
      if (token.startsWith('\u001b')) this.#command(token.at(-1)!, Number(token.slice(2, -1)))
      else if (token === '\r') this.#x = 0
      else if (token === '\n') this.#feed()
      else this.#put(token)
    }
  }

  resize(columns: number, height = this.#height): void {
    const lines = joined(this.#rows)
    const at = lineAt(this.#rows, this.#y)
    this.#rows = lines.flatMap((cells) => broken(cells, columns))
    this.#columns = columns
    this.#height = height
    this.#y = this.#rows.findIndex((_, y) => lineAt(this.#rows, y) === at)
  }

  /** All lines, those that have scrolled away too, whatever the width. */
  get lines(): string[] {
    return shown(joined(this.#rows).map((cells) => ({ cells, broken: false })))
  }

  /** The rows that stand on the screen. */
  get visible(): string[] {
    return shown(this.#rows.slice(this.#top))
  }

  get cursor(): { readonly row: number; readonly column: number } {
    return { row: this.#y, column: this.#x }
  }

  get #top(): number {
    return Math.max(0, this.#rows.length - this.#height)
  }

  #command(name: string, count: number): void {
    if (name === 'A') this.#y = Math.max(this.#top, this.#y - Math.max(1, count))
    else if (name === 'G') this.#x = Math.max(0, count - 1)
    else if (name === 'K' || name === 'J') this.#clear(name === 'J')
    else if (name !== 'm') throw new Error(`the screen knows no command ${name}`)
  }

  #clear(below: boolean): void {
    const row = this.#rows[this.#y]!
    row.cells.length = Math.min(row.cells.length, this.#x)
    if (this.#x === 0) row.broken = false
    if (!below) return
    row.broken = false
    for (const after of this.#rows.slice(this.#y + 1)) Object.assign(after, { cells: [], broken: false })
  }

  #feed(): void {
    this.#y++
    this.#x = 0
    if (this.#y === this.#rows.length) this.#rows.push({ cells: [], broken: false })
  }

  #put(char: string): void {
    const width = widthOf(char)
    if (this.#x + width > this.#columns) {
      this.#rows[this.#y]!.broken = true
      this.#feed()
    }
    const { cells } = this.#rows[this.#y]!
    while (cells.length < this.#x) cells.push(' ')
    if (width === 0) cells[Math.max(0, this.#x - 1)] += char
    else cells.splice(this.#x, width, char, ...Array<string>(width - 1).fill(''))
    this.#x += width
  }
}

function joined(rows: readonly Row[]): string[][] {
  const lines: string[][] = [[]]
  for (const { cells, broken } of rows) {
    lines.at(-1)!.push(...cells)
    if (!broken) lines.push([])
  }
  return lines.slice(0, -1)
}

/** Which line a row begins; none where it goes on with one. */
function lineAt(rows: readonly Row[], y: number): number {
  return y > 0 && rows[y - 1]!.broken ? -1 : rows.slice(0, y).filter((row) => !row.broken).length
}

function broken(cells: readonly string[], columns: number): Row[] {
  const rows: Row[] = [{ cells: [], broken: false }]
  for (const [at, cell] of cells.entries()) {
    const width = cells[at + 1] === '' ? 2 : 1
    if (cell !== '' && rows.at(-1)!.cells.length + width > columns) {
      rows.at(-1)!.broken = true
      rows.push({ cells: [], broken: false })
    }
    rows.at(-1)!.cells.push(cell)
  }
  return rows
}

function shown(rows: readonly Row[]): string[] {
  const lines = rows.map(({ cells }) => cells.join('').trimEnd())
  while (lines.at(-1) === '') lines.pop()
  return lines
}
