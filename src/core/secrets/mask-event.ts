import type { OffshootEvent } from '../events.ts'
import { maskStrings } from './mask-strings.ts'
import type { SecretMask } from './mask.ts'

/** An event on its way out. Text that comes in pieces was masked where it came from, as no piece is a whole secret. */
export function maskEvent(event: OffshootEvent, secrets: SecretMask): OffshootEvent {
  return event.type === 'part.delta' || event.type === 'tool.output'
    ? event
    : maskStrings(event, secrets.text, { approval: secrets.approval })
}
