/** Elements whose content a browser does not display. */
export const HIDDEN: ReadonlySet<string> = new Set(
  'script style noscript template iframe object svg canvas title'.split(' '),
)
