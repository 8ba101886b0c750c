import { useEffect } from 'react'

/** Actions of keyboard shortcuts on the visible messages. */
export interface ShownTranscript {
  /** Shows the first loaded message, and stays there. */
  toStart(): void
  /** Shows the last message, and follows new ones. */
  toEnd(): void
}

let shown: ShownTranscript | null = null

/** The transcript on the page. */
export function shownTranscript(): ShownTranscript | null {
  return shown
}

export function useShownTranscript(transcript: ShownTranscript): void {
  useEffect(() => {
    shown = transcript
    return () => {
      if (shown === transcript) shown = null
    }
  }, [transcript])
}
