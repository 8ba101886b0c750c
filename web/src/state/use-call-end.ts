import type { CallEnd } from 'offshoot/client'
import { useView } from './conversation.tsx'
import { endOfCall, type KnownCall } from './end-of-call.ts'

/** How a call ended, as every surface says it. */
export function useCallEnd(call: KnownCall): CallEnd {
  const [kind, words] = useView((state) => {
    const end = endOfCall(state, call)
    return [end.kind, end.words] as const
  })
  return { kind, words }
}
