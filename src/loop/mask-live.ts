import type { MaskStream, SecretMask } from '../core/secrets/mask.ts'
import type { Emit, LiveEvent } from './ports.ts'

/**
 * Masks secrets in the live text of one answer. What may be the beginning of one is held until more of its part has come,
 * or `flush`; pieces of one part stay in their order.
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
    masked.emitted += text.length // a masked text is as long as what it masks
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
  /** Characters of the part that were told. */
  emitted: number
}

/** The output of one call as it comes; `end` tells what was held. */
export function maskOutput(emit: (text: string) => void, secrets: Pick<SecretMask, 'stream'>) {
  const stream = secrets.stream()
  const emitAny = (text: string) => {
    if (text !== '') emit(text)
  }
  return { emit: (text: string) => emitAny(stream.push(text)), end: () => emitAny(stream.end()) }
}
