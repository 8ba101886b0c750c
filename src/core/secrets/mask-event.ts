import type { OffshootEvent } from '../events.ts'
import { maskStrings } from './mask-strings.ts'
import type { SecretMask } from './mask.ts'

/**
 * Masks an event for output. Streamed text was masked at its source, because a piece may contain only part of a secret.
 */
export function maskEvent(event: OffshootEvent, secrets: SecretMask): OffshootEvent {
  return event.type === 'part.delta' || event.type === 'tool.output'
    ? event
    : maskStrings(event, secrets.text, { approval: secrets.approval })
}
