import type { SeenLines } from './evidence.ts'
import { fileKind, isProse } from './file-kind.ts'
import { indentOf, lineKind, type LineKind } from './line-kind.ts'

/** A line of a block, as a tool showed it. */
export interface BlockLine {
  readonly line: number
  readonly text: string
  readonly kind: LineKind
}

/** A piece of a file about the size of a definition: a function, a test, a section of a text. */
export interface Block {
  readonly path: string
  /** The line that names the block; null if its start was not read. */
  readonly head: BlockLine | null
  /** Names of its surroundings, such as its class. */
  readonly owners: readonly string[]
  readonly lines: readonly BlockLine[]
  readonly isTest: boolean
}

interface Draft {
  readonly head: BlockLine | null
  readonly owners: readonly string[]
  readonly lines: BlockLine[]
}

/** A longer definition becomes several blocks with its name. */
export const MAX_BLOCK_LINES = 60
const DEEPEST_HEAD = 12

/** The blocks of the lines that were read; another search may have found where tests start. */
export function blocksOf(read: SeenLines, seen: SeenLines): Block[] {
  return [...read].flatMap(([path, lines]) => {
    const inTests = testsBegin(path, seen.get(path) ?? lines)
    return runsOf(path, lines)
      .flatMap((run) => split(run))
      .filter((draft) => draft.lines.some(({ kind }) => kind.type !== 'trivial'))
      .map(({ head, owners, lines: own }) => ({
        path,
        head,
        owners,
        lines: own,
        isTest: own[0]!.line >= inTests || head?.kind.type === 'test',
      }))
  })
}

/** In Rust, a module's tests are often at the end of its file, after the last `#[cfg(test)]`. */
function testsBegin(path: string, lines: ReadonlyMap<number, string>): number {
  if (fileKind(path) === 'test') return 0
  const marks = [...lines].flatMap(([line, text]) => (/^\s*#\[cfg\(test\)\]/.test(text) ? [line] : []))
  const last = Math.max(0, ...marks)
  const next = lines.get(last + 1)
  return last > 0 && (next === undefined || /\bmod\b[^;]*$|^\s*#/.test(next)) ? last : Infinity
}

/** Consecutive lines without a gap. */
function runsOf(path: string, lines: ReadonlyMap<number, string>): BlockLine[][] {
  const runs: BlockLine[][] = []
  let before = -1
  let comment: Comment | null = null
  for (const [line, text] of [...lines].toSorted(([a], [b]) => a - b)) {
    if (line !== before + 1) [comment] = [null, runs.push([])]
    const kind = lineKind(text, path)
    if (comment && kind.type === 'definition' && indentOf(text) <= comment.indent) comment = null
    runs.at(-1)!.push({ line, text, kind: comment && text.trim() !== '' ? COMMENT : kind })
    comment = comment ? (text.includes(comment.end) ? null : comment) : commentIn(text, path)
    before = line
  }
  return runs
}

const COMMENT: LineKind = { type: 'comment', name: '' }

interface Comment {
  readonly end: string
  readonly indent: number
}

/** The multi-line comment that starts on a line. */
function commentIn(text: string, path: string): Comment | null {
  const end = path.endsWith('.py')
    ? /^\s*[rbu]?("""|''')(?!.*\1)/i.exec(text)?.[1]
    : /^\s*\/\*(?!.*\*\/)/.test(text)
      ? '*/'
      : undefined
  return end === undefined ? null : { end, indent: indentOf(text) }
}

function split(run: readonly BlockLine[]): Draft[] {
  const drafts: Draft[] = [{ head: null, owners: [], lines: [] }]
  const heads: BlockLine[] = []
  for (const line of run) {
    const draft = drafts.at(-1)!
    const indent = indentOf(line.text)
    if (isHead(line, indent)) {
      leave(heads, indent)
      heads.push(line)
      drafts.push({
        head: line,
        owners: namesOf(heads.slice(0, -1)),
        lines: [...takeLeading(draft.lines), line],
      })
    } else if (draft.head && isOutside(line, indent, draft.head)) {
      leave(heads, indent)
      drafts.push({ head: heads.at(-1) ?? null, owners: namesOf(heads), lines: [line] })
    } else if (draft.lines.length >= MAX_BLOCK_LINES) drafts.push({ ...draft, lines: [line] })
    else draft.lines.push(line)
  }
  return drafts
}

function namesOf(heads: readonly BlockLine[]): string[] {
  return heads.map(({ kind }) => kind.name)
}

function isHead({ text, kind }: BlockLine, indent: number): boolean {
  if (kind.type === 'heading' || kind.type === 'test') return true
  return kind.type === 'definition' && indent <= DEEPEST_HEAD && !/^\s+(const|let|var|val)\b[^(]*$/.test(text)
}

/** A statement at the head's depth or above belongs to the surroundings. */
function isOutside({ text, kind }: BlockLine, indent: number, head: BlockLine): boolean {
  if (head.kind.type === 'heading' || kind.type === 'trivial' || indent > indentOf(head.text)) return false
  return !/^\s*([)\]}>{#:]|where\b|else\b|end\b|"""|'''|\w+:$)/.test(text)
}

function leave(heads: BlockLine[], indent: number): void {
  while (heads.length > 0 && indentOf(heads.at(-1)!.text) >= indent) heads.pop()
}

/** Comments and attributes directly above a head belong to it. */
function takeLeading(lines: BlockLine[]): BlockLine[] {
  const from = lines.findLastIndex(
    ({ text, kind }) => kind.type !== 'comment' && !/^\s*(\*\/|@\w|#\[|\[\w)/.test(text),
  )
  return lines.splice(from + 1)
}

/** The name of a block, for people; empty without one. */
export function blockName({ head, path }: Block): string {
  if (!head || isProse(path)) return ''
  return head.kind.name
    .replace(/[`'"].*$/u, '')
    .replace(/::/g, '.')
    .replace(/[^\p{L}\p{N}_$.#?! -]/gu, '')
    .trim()
    .slice(0, 60)
}
