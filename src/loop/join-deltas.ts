import type { Emit, LiveEvent } from './ports.ts'

/**
 * Joins text of one part from the same event-loop turn into one delta: delivering a delta costs as much as producing
 * it.
 */
export function joinDeltas(emit: Emit): { readonly emit: Emit; readonly flush: () => void } {
  let held: { -readonly [K in keyof Delta]: Delta[K] } | undefined
  const flush = () => {
    const event = held
    held = undefined
    if (event) emit(event)
  }
  return {
    flush,
    emit(event) {
      if (event.type === 'part.delta' && event.partId === held?.partId) return void (held.text += event.text)
      flush()
      if (event.type !== 'part.delta') return emit(event)
      held = { ...event }
      setImmediate(flush)
    },
  }
}

type Delta = Extract<LiveEvent, { readonly type: 'part.delta' }>
