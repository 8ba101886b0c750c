/** Elements whose contents no reader of a page sees. */
export const HIDDEN: ReadonlySet<string> = new Set(
  'script style noscript template iframe object svg canvas title'.split(' '),
)
