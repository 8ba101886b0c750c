import type { MaskStream, SecretMask } from '../core/secrets/mask.ts'
import type { Emit, LiveEvent } from './ports.ts'

/**
 * Masks secrets in the live text of one answer. A possible start of a secret is held back until more of its part
 * arrives, or `flush`; pieces of one part stay in order.
 */
export function maskDeltas(emit: Emit, secrets: Pick<SecretMask, 'stream'>) {
  const streams = new Map<Delta['partId'], Masked>()
  const maskedOf = (delta: Delta): Masked => {
    const known = streams.get(delta.partId)
    if (known) return known
    const masked = { stream: secrets.stream(), last: delta, emitted: delta.offset }
    streams.set(delta.partId, masked)
    return masked
  }
  const emitText = (masked: Masked, text: string) => {
    if (text === '') return
    const offset = masked.emitted
    masked.emitted += text.length // a masked text is as long as the original
    emit({ ...masked.last, text, offset })
  }
  const flush = () => {
    for (const masked of streams.values()) emitText(masked, masked.stream.end())
    streams.clear()
  }
  return {
    flush,
    emit(event: LiveEvent) {
      if (event.type !== 'part.delta') return emit(event)
      const masked = maskedOf(event)
      masked.last = event
      const text = masked.stream.push(event.text)
      if (text !== event.text || masked.emitted !== event.offset) return emitText(masked, text)
      masked.emitted += text.length
      emit(event) // as nearly all are
    },
  }
}

type Delta = Extract<LiveEvent, { readonly type: 'part.delta' }>

interface Masked {
  readonly stream: MaskStream
  last: Delta
  /** Emitted characters of the part. */
  emitted: number
}

/** Masks the live output of one call; `end` returns what was held back. */
export function maskOutput(emit: (text: string) => void, secrets: Pick<SecretMask, 'stream'>) {
  const stream = secrets.stream()
  const emitAny = (text: string) => {
    if (text !== '') emit(text)
  }
  return { emit: (text: string) => emitAny(stream.push(text)), end: () => emitAny(stream.end()) }
}
