/** One line of a change. Line numbers start at 1; null: not in that text, or unknown. */
export interface PatchLine {
  /** `gap`: lines left out here. `note`: a remark about the change. */
  readonly kind: 'context' | 'removed' | 'added' | 'gap' | 'note'
  readonly text: string
  readonly before: number | null
  readonly after: number | null
}

/** Tools whose approvals and outputs contain a diff. Other output is shown unchanged, whatever it looks like. */
export const changingTools: ReadonlySet<string> = new Set(['edit', 'write'])

/** The lines of a unified diff of one file, without the file names; undefined for any other text. */
export function patchLines(text: string): readonly PatchLine[] | undefined {
  const [old, next, ...rest] = text.split('\n')
  if (!old?.startsWith('--- ') || !next?.startsWith('+++ ') || !HUNK.test(rest[0] ?? '')) return undefined
  const lines: PatchLine[] = []
  let at: Place = { before: null, after: null, left: 0 }
  for (const line of rest) {
    const hunk = at.left > 0 ? null : HUNK.exec(line)
    if (hunk) {
      if (lines.length > 0) lines.push({ kind: 'gap', text: '', before: null, after: null })
      at = placeOf(hunk)
    } else {
      lines.push(lineAt(line, at))
      at = placeAfter(lines.at(-1)!.kind, at)
    }
  }
  return lines
}

/** The file of a patch. */
export function changedFile(patch: string): string {
  return patch.slice('--- a/'.length, patch.indexOf('\n'))
}

interface SplitOutput {
  /** The tool's remark about its change. */
  readonly words: string
  readonly patch: string
}

/** An output that ends with a diff, as from `edit` and `write`; undefined for any other. */
export function splitPatch(output: string): SplitOutput | undefined {
  const at = output.indexOf('\n--- ')
  const patch = at < 0 ? '' : output.slice(at + 1)
  return patchLines(patch) ? { words: output.slice(0, at), patch } : undefined
}

/** A change as plain lines, each with its line number; removed lines have the old one. */
export function plainPatch(lines: readonly PatchLine[]): string[] {
  const numbers = lines.map(({ kind, before, after }) => String((kind === 'removed' ? before : after) ?? ''))
  const width = Math.max(0, ...numbers.map(({ length }) => length))
  return lines.map(({ kind, text }, i) => {
    const number = (kind === 'gap' ? '⋮' : numbers[i]!).padStart(width)
    return `${number} ${MARKS[kind]} ${text}`.trimEnd()
  })
}

const MARKS = { context: ' ', removed: '-', added: '+', gap: ' ', note: ' ' } as const

/** `@@ -12,7 +12,8 @@`, or `@@ @@` if the numbers are unknown. */
const HUNK = /^@@ (?:-(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? )?@@/

/** The next line numbers, and how many lines of the hunk remain: none of these is a header. */
interface Place {
  readonly before: number | null
  readonly after: number | null
  readonly left: number
}

function placeOf([, before, removed = '1', after, added = '1']: RegExpExecArray): Place {
  if (before === undefined) return { before: null, after: null, left: 0 }
  return { before: Number(before), after: Number(after), left: Number(removed) + Number(added) }
}

function lineAt(line: string, { before, after }: Place): PatchLine {
  const text = line.slice(1)
  switch (line[0]) {
    case '-':
      return { kind: 'removed', text, before, after: null }
    case '+':
      return { kind: 'added', text, before: null, after }
    case ' ':
    case undefined: // an empty line that lost its trailing space
      return { kind: 'context', text, before, after }
    default:
      return { kind: 'note', text: line.replace(/^\\ /, ''), before: null, after: null }
  }
}

function placeAfter(kind: PatchLine['kind'], { before, after, left }: Place): Place {
  const old = kind === 'context' || kind === 'removed' ? 1 : 0
  const next = kind === 'context' || kind === 'added' ? 1 : 0
  const add = (number: number | null, more: number) => (number === null ? null : number + more)
  return { before: add(before, old), after: add(after, next), left: Math.max(0, left - old - next) }
}
