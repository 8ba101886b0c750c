/** A format of secrets: an anchor, and what follows it. Every repetition is bounded, or comes last. */
export interface SecretShape {
  /** Literal text at the start. It stays readable, so that people know what was masked. */
  readonly anchors: readonly string[]
  /** After the anchor, sticky; group 1 stays readable, the rest is masked. */
  readonly full: RegExp
  /** After the anchor, sticky: matches while the text ends too early to decide. */
  readonly alive: RegExp
  /** The rest of a secret that was cut at the end of a text; absent: `full` matches all of it. */
  readonly more?: RegExp
  /** More text can make the match longer: undecided while `alive` matches. */
  readonly grows?: boolean
  /** What must not precede the anchor. */
  readonly notAfter: RegExp
  /** Most characters to check from the anchor on; the end may still follow within them. */
  readonly window?: number
  /** A provider key: nothing else looks like it. Other formats depend on their context. */
  readonly isKey: boolean
}
