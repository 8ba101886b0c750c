import { terminalLine, terminalText } from '../core/terminal-text.ts'

/** Longer runs of backticks are shortened to this, so that a fence stays short. */
const MAX_FENCE = 100

/** At most `maxChars` characters of a text; a final line reports the cut, with `rest` as the place to read on. */
export function bounded(text: string, maxChars: number, rest: string): string {
  const clean = terminalText(text.toWellFormed()).trim()
  if (clean.length <= maxChars) return clean
  const head = clean.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')
  return `${head}\n(cut: ${head.length} of ${clean.length} characters; ${rest})`
}

export function boundedLine(text: string, maxChars: number): string {
  const line = terminalLine(text.toWellFormed())
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Foreign text between two fences that it cannot close: they are longer than any run of backticks in it. */
export function fenced(text: string): string {
  const inner = text.replace(/`{100,}/g, '`'.repeat(MAX_FENCE))
  const longest = Math.max(2, ...Array.from(inner.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${inner}\n${fence}`
}
