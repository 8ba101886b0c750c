import type { Emit, LiveEvent } from './ports.ts'

/**
 * Text of one part that comes in one turn of the event loop is told as one delta: each way to a listener costs as much as
 * what the delta itself took.
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
