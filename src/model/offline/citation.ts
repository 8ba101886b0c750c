import type { SeenLine } from './evidence.ts'

/** A seen line, quoted so that anybody can check it: `path:line` and a literal piece of the line. */
export interface Citation {
  readonly path: string
  readonly line: number
  readonly excerpt: string
}

export interface Finding extends Citation {
  /** What the line is, in a few words; may be empty. */
  readonly note: string
  /** Lines around the place, with numbers; may be empty. */
  readonly shown: readonly { readonly line: number; readonly text: string }[]
}

const MIN_CHARS = 8
const MAX_CHARS = 120
/** Text further right may be beyond where a tool cut a long line. */
const TRUSTED_CHARS = 240

/** null if no piece of the line can be quoted literally, or the path could not be parsed back. */
export function cite({ path, line, text }: SeenLine): Citation | null {
  if (
    !Number.isSafeInteger(line) ||
    line < 1 ||
    path === '' ||
    path.length > 300 ||
    /[\p{C}`:\u2028\u2029]/u.test(path)
  )
    return null
  const pieces = text
    .slice(0, TRUSTED_CHARS)
    .split(/[`\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\ufffd]/u)
    .map(trimmed)
  const excerpt = pieces.reduce(
    (best, piece) => (best.length >= 24 || piece.length <= best.length ? best : piece),
    '',
  )
  return visible(excerpt) < MIN_CHARS ? null : { path, line, excerpt }
}

export function formatCitation({ path, line, excerpt }: Citation, note = ''): string {
  return `- ${path}:${line} \`${excerpt}\`${note === '' ? '' : ` - ${note}`}`
}

/** The citations of a report, in order. */
export function citationsIn(text: string): Citation[] {
  const found: Citation[] = []
  for (const row of text.split('\n')) {
    const match = /^\s*(?:[-*]|\d+[.)])\s+`?([^`:]+):(\d+)`?[\s:–—-]*`([^`]+)`/.exec(row)
    if (match && visible(match[3]!) >= MIN_CHARS)
      found.push({ path: match[1]!.trim(), line: Number(match[2]), excerpt: match[3]! })
  }
  return found
}

/** Keeps tabs, because the excerpt is literal. Cuts between words if that loses little. */
function trimmed(piece: string): string {
  const bare = piece.trim()
  if (bare.length <= MAX_CHARS) return bare
  const cut = bare.slice(0, MAX_CHARS)
  const space = cut.lastIndexOf(' ')
  return (space > MAX_CHARS / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, '')).trim()
}

function visible(excerpt: string): number {
  return excerpt.replace(/\s/g, '').length
}
