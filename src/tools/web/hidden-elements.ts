/** Elements whose content readers of a page do not see. */
export const HIDDEN: ReadonlySet<string> = new Set(
  'script style noscript template iframe object svg canvas title'.split(' '),
)
