import { createHash } from 'node:crypto'
import type { ArtifactId, ConversationId, NewId } from '../../core/ids.ts'
import { bounds } from '../../core/limits.ts'
import type { ToolOutput } from '../../core/message.ts'
import type { Change } from '../log/recorder.ts'

interface Unbounded {
  readonly conversationId: ConversationId
  readonly output: ToolOutput
  readonly maxBytes?: number
}

/**
 * What the model reads of a text: all of it up to `maxBytes`, otherwise head and tail with a remark between them, and
 * the full text as an artifact.
 */
export function boundOutput(
  change: Change,
  newId: NewId,
  { conversationId, output, maxBytes = bounds.inlineOutputBytes }: Unbounded,
): ToolOutput {
  if (output.text.length * 3 <= maxBytes) return output // a UTF-16 unit takes at most 3 bytes
  const bytes = Buffer.from(output.text)
  if (bytes.length <= maxBytes) return output
  const artifactId = keepArtifact(change, newId, conversationId, bytes)
  const head = cleanCut(bytes.subarray(0, Math.floor(maxBytes * 0.75)).toString())
  const tail = cleanCut(bytes.subarray(bytes.length - Math.floor(maxBytes * 0.25)).toString())
  const left = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail)
  return {
    ...output,
    text: `${head}\n[… ${left} bytes left out; the full text is artifact ${artifactId} …]\n${tail}`,
    artifactId,
  }
}

/** A cut character shows as U+FFFD. */
function cleanCut(text: string): string {
  return text.replace(/^\ufffd+|\ufffd+$/g, '')
}

/** Equal content of one conversation is stored once. */
function keepArtifact(
  change: Change,
  newId: NewId,
  conversationId: ConversationId,
  content: Uint8Array,
): ArtifactId {
  const hash = createHash('sha256').update(content).digest('hex')
  const known = change.tx.find('artifacts', { where: { conversationId, hash }, limit: 1 })[0]
  if (known) return known.id
  const id = newId('art')
  const row = {
    id,
    conversationId,
    hash,
    mediaType: 'text/plain',
    size: content.length,
    content,
    createdAt: change.at,
  }
  change.tx.insert('artifacts', row)
  return id
}
