import { OffshootError } from '../core/errors.ts'
import { harmlessJson } from '../core/harmless-json.ts'
import type { ExportDocument } from './document.ts'

/**
 * A document as one line of JSON, at any depth of branches. Equal documents give equal text. @throws OffshootError
 * `conflict` if it exceeds the maximum string length (512 MiB).
 */
export function documentText(document: ExportDocument): string {
  const pieces: string[] = []
  const open: (string | Level)[] = [document]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') pieces.push(next)
    else for (const piece of opened(next).reverse()) open.push(piece)
  }
  try {
    return harmlessJson(pieces.join(''))
  } catch (cause) {
    throw new OffshootError('conflict', `${document.id} is too large for one document`, { cause })
  }
}

type Level = Readonly<Record<string, unknown>> | ExportDocument

/** The fields of one level: nested messages and branches unchanged, everything else as text. */
function opened(level: Level): (string | Level)[] {
  const pieces: (string | Level)[] = []
  let between = '{'
  for (const [key, value] of Object.entries(level)) {
    if (value === undefined) continue
    pieces.push(`${between}${JSON.stringify(key)}:`)
    between = ','
    const nested = key === 'messages' || key === 'branches'
    for (const piece of nested ? list(value as readonly Level[]) : [JSON.stringify(value)]) pieces.push(piece)
  }
  pieces.push('}')
  return pieces
}

function list(levels: readonly Level[]): (string | Level)[] {
  return ['[', ...levels.flatMap((level, i) => (i === 0 ? [level] : [',', level])), ']']
}
