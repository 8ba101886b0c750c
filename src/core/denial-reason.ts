/** Who or what did not let a call begin; the text beside it is for people. */
export const denialReasons = [
  'denied_by_rule',
  'denied_by_person',
  /** By a rule or a person: a row of an older program does not say which. */
  'denied',
  /** It needed an answer, and nobody could give one. */
  'unattended',
  /** Nobody answered in time. */
  'expired',
  /** The run was stopped before anybody answered. */
  'interrupted',
] as const
export type DenialReason = (typeof denialReasons)[number]

/** Of a call that was denied. A row of an older program has its code alone. */
export function denialReasonOf({ code, reason }: DeniedError): DenialReason {
  if (reason) return reason
  return code === 'unattended' || code === 'interrupted' ? code : 'denied'
}

interface DeniedError {
  readonly code: string
  readonly reason?: DenialReason
}
