import type { CallEnd } from 'offshoot/client'
import { useView } from './conversation.tsx'
import { endOfCall, type KnownCall } from './end-of-call.ts'

/** How a call ended, in the words that every part of the page uses. */
export function useCallEnd(call: KnownCall): CallEnd {
  const [kind, words] = useView((state) => {
    const end = endOfCall(state, call)
    return [end.kind, end.words] as const
  })
  return { kind, words }
}
