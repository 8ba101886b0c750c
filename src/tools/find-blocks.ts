/** A place in a text, and its replacement. */
export interface BlockSpan {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * The blocks of whole lines that equal `wanted` except for white space, each with its replacement. First only trailing
 * white space may differ, then the indentation of the whole block, then any run of white space.
 */
export function findBlocks(text: string, wanted: string, replacement: string): BlockSpan[] {
  const block = wanted.split('\n')
  const closed = block.at(-1) === ''
  if (closed) block.pop()
  if (block.every((line) => line.trim() === '')) return []
  const lines = splitLines(text)
  for (const [key, shifted] of LEVELS) {
    const spans = matches(lines, block, key, shifted).map((first): BlockSpan => {
      const last = lines[first + block.length - 1]!
      const shift = shifted ? indentShift(lines, first, block) : undefined
      return {
        start: lines[first]!.start,
        end: closed ? last.next : last.end,
        text: shift ? shiftText(replacement, shift) : replacement,
      }
    })
    if (spans.length > 0) return spans
  }
  return []
}

/** How to compare lines, and whether the block may be indented differently. */
const LEVELS: readonly (readonly [key: (line: string) => string, shifted: boolean])[] = [
  [(line) => line.trimEnd(), false],
  [(line) => line.trim(), true],
  [(line) => line.trim().replace(/\s+/g, ' '), true],
]

interface Line {
  readonly text: string
  readonly start: number
  /** Before the line end. */
  readonly end: number
  readonly next: number
}

function splitLines(text: string): Line[] {
  const lines: Line[] = []
  for (let start = 0; start <= text.length;) {
    const feed = text.indexOf('\n', start)
    const next = feed < 0 ? text.length : feed + 1
    const end = feed < 0 ? text.length : feed > start && text[feed - 1] === '\r' ? feed - 1 : feed
    lines.push({ text: text.slice(start, end), start, end, next })
    if (feed < 0) break
    start = next
  }
  return lines
}

function matches(
  lines: readonly Line[],
  block: readonly string[],
  key: (line: string) => string,
  shifted: boolean,
): number[] {
  const keys = lines.map((line) => key(line.text))
  const wanted = block.map(key)
  const found: number[] = []
  for (let first = 0; first + wanted.length <= keys.length; first++) {
    if (!wanted.every((line, index) => keys[first + index] === line)) continue
    if (shifted && !indentShift(lines, first, block)) continue
    found.push(first)
    first += wanted.length - 1
  }
  return found
}

interface Shift {
  readonly from: string
  readonly to: string
}

/** The one change of indentation that fits every line of the block; undefined if none does. */
function indentShift(lines: readonly Line[], first: number, block: readonly string[]): Shift | undefined {
  const pairs = block.flatMap((line, index) =>
    line.trim() === '' ? [] : [{ wanted: indentOf(line), found: indentOf(lines[first + index]!.text) }],
  )
  const least = pairs.reduce((a, b) => (b.wanted.length < a.wanted.length ? b : a))
  const shift = { from: least.wanted, to: least.found }
  const fits = pairs.every(
    ({ wanted, found }) =>
      wanted.startsWith(shift.from) && found === shift.to + wanted.slice(shift.from.length),
  )
  return fits ? shift : undefined
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)![0]
}

function shiftText(text: string, { from, to }: Shift): string {
  const shifted = (line: string) =>
    line.trim() !== '' && line.startsWith(from) ? to + line.slice(from.length) : line
  return text.split('\n').map(shifted).join('\n')
}
