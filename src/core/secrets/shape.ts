/** What a secret looks like: a word that begins it, and what follows. Every repetition is bounded, or the last thing. */
export interface SecretShape {
  /** Literal text at the beginning. It stays readable, so that a reader knows what was masked. */
  readonly anchors: readonly string[]
  /** Behind the anchor, sticky; group 1 stays readable, the rest is masked. */
  readonly full: RegExp
  /** Behind the anchor, sticky: the text ends before it is decided. */
  readonly alive: RegExp
  /** More of a secret whose text ended with the text; absent: `full` takes all of it. */
  readonly more?: RegExp
  /** More of the text can make a match longer: nothing is decided while `alive` matches. */
  readonly grows?: boolean
  /** What must not stand before the anchor. */
  readonly notAfter: RegExp
  /** No more of the text than this is looked at, from the anchor on; until then the end may still come. */
  readonly window?: number
  /** The key of a provider: nothing else looks like it. Others are taken for secrets by where they stand. */
  readonly isKey: boolean
}
