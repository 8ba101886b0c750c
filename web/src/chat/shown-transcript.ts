import { useEffect } from 'react'

/** What the keys of the page do with the messages in view. */
export interface ShownTranscript {
  /** Shows the first of those that are loaded, and keeps to it whatever comes at the end. */
  toStart(): void
  /** Shows the last, and goes on with what comes. */
  toEnd(): void
}

let shown: ShownTranscript | null = null

/** The one that is on the page. */
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
