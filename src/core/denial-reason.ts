/** Why a call was denied, as a code; the text beside it is for people. */
export const denialReasons = [
  'denied_by_rule',
  'denied_by_person',
  /** A rule or a person: a row of an older program does not say which. */
  'denied',
  /** It needed an approval, and nobody could give one. */
  'unattended',
  /** Nobody answered in time. */
  'expired',
  /** The run was stopped before anybody answered. */
  'interrupted',
] as const
export type DenialReason = (typeof denialReasons)[number]

/** For a denied call. A row of an older program has only its code. */
export function denialReasonOf({ code, reason }: DeniedError): DenialReason {
  if (reason) return reason
  return code === 'unattended' || code === 'interrupted' ? code : 'denied'
}

interface DeniedError {
  readonly code: string
  readonly reason?: DenialReason
}
