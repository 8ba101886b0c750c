import { ToolError } from './port.ts'
import { findBlocks, type BlockSpan } from './find-blocks.ts'

export interface TextReplacement {
  readonly old: string
  readonly new: string
  readonly all: boolean
  /** Name of the file, for messages. */
  readonly name: string
}

export interface Replaced {
  readonly text: string
  readonly count: number
  /** The old text matched only with differences in white space. */
  readonly tolerant: boolean
}

/**
 * Replaces an exact match, or else lines that differ only in white space. Replaces one place, or all with `all`; never
 * guesses which place is meant. @throws ToolError `no_match`, `ambiguous`, `no_change`.
 */
export function replaceText(text: string, wanted: TextReplacement): Replaced {
  if (wanted.old === '')
    throw new ToolError(
      'no_match',
      `old_string is empty, and ${wanted.name} exists`,
      'Use write to replace the whole file.',
    )
  if (wanted.old === wanted.new)
    throw new ToolError('no_change', 'old_string and new_string are equal; there is nothing to do')
  const exact = findExact(text, wanted)
  const spans = exact.length > 0 ? exact : findBlocks(text, wanted.old, wanted.new)
  if (spans.length === 0) throw noMatch(text, wanted)
  if (spans.length > 1 && !wanted.all) throw ambiguous(text, spans, wanted)
  const replaced = applySpans(text, spans)
  if (replaced === text)
    throw new ToolError('no_change', `${wanted.name} already has this text; there is nothing to do`)
  return { text: replaced, count: spans.length, tolerant: exact.length === 0 }
}

function findExact(text: string, wanted: TextReplacement): BlockSpan[] {
  const spans: BlockSpan[] = []
  for (let start = text.indexOf(wanted.old); start >= 0;) {
    const end = start + wanted.old.length
    spans.push({ start, end, text: wanted.new })
    start = text.indexOf(wanted.old, wanted.all ? end : start + 1)
  }
  return spans
}

function applySpans(text: string, spans: readonly BlockSpan[]): string {
  const pieces: string[] = []
  let done = 0
  for (const span of spans) {
    pieces.push(text.slice(done, span.start), span.text)
    done = span.end
  }
  return pieces.join('') + text.slice(done)
}

const MAX_LINES_NAMED = 10

function ambiguous(text: string, spans: readonly BlockSpan[], wanted: TextReplacement): ToolError {
  const lines = spans.slice(0, MAX_LINES_NAMED).map((span) => lineAt(text, span.start))
  const more = spans.length > MAX_LINES_NAMED ? ', ...' : ''
  return new ToolError(
    'ambiguous',
    `old_string matches ${spans.length} places in ${wanted.name}: lines ${lines.join(', ')}${more}`,
    'Add surrounding lines until only one place matches, or set replace_all.',
  )
}

function noMatch(text: string, wanted: TextReplacement): ToolError {
  const first =
    wanted.old
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  const lines = first === '' ? [] : linesWith(text, first)
  const where = lines.length > 0 ? ` Its first line is at line ${lines.join(', ')}.` : ''
  return new ToolError(
    'no_match',
    `old_string is not in ${wanted.name}`,
    `Read the file and copy the text exactly, without line numbers.${where}`,
  )
}

function linesWith(text: string, part: string): number[] {
  const numbers: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.includes(part)) numbers.push(index + 1)
    if (numbers.length === MAX_LINES_NAMED) break
  }
  return numbers
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
