import { createHash } from 'node:crypto'
import { maskStrings } from '../core/secrets/mask-strings.ts'
import type { SecretMask } from '../core/secrets/mask.ts'
import type { ExportDocument, ExportedArtifact } from './document.ts'

/**
 * Masks a document of any depth for output. Exporting an imported masked document gives the same bytes, because masks
 * contain no secrets.
 */
export function maskDocument(document: ExportDocument, secrets: Pick<SecretMask, 'text'>): ExportDocument {
  const top: Level = {}
  const open: Nested[] = [{ level: document as unknown as Level, into: top }]
  for (let next = open.pop(); next; next = open.pop())
    for (const [key, value] of Object.entries(next.level))
      next.into[key] = NESTED.has(key) ? nest(value as Level[], open) : ownValue(key, value, secrets)
  return top as unknown as ExportDocument
}

type Level = Record<string, unknown>

interface Nested {
  readonly level: Level
  readonly into: Level
}

const NESTED: ReadonlySet<string> = new Set(['messages', 'branches'])

function nest(levels: readonly Level[], open: Nested[]): Level[] {
  return levels.map((level) => {
    const into: Level = {}
    open.push({ level, into })
    return into
  })
}

function ownValue(key: string, value: unknown, { text }: Pick<SecretMask, 'text'>): unknown {
  if (key !== 'artifacts') return maskStrings(value, text)
  return (value as readonly ExportedArtifact[]).map((artifact) => maskArtifact(artifact, text))
}

/** For text content; hash and size describe the masked content. */
function maskArtifact(artifact: ExportedArtifact, mask: SecretMask['text']): ExportedArtifact {
  if (!/^text\/|json|xml/.test(artifact.mediaType)) return artifact
  const before = Buffer.from(artifact.data, 'base64').toString('utf8')
  const after = mask(before)
  if (after === before) return artifact
  const content = Buffer.from(after)
  const hash = createHash('sha256').update(content).digest('hex')
  return { ...artifact, hash, size: content.length, data: content.toString('base64') }
}
