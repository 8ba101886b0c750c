/** Removes possible credentials from the URLs in a text: user and password, query and fragment. */
export function withoutCredentials(text: string): string {
  return text
    .replace(/\/\/[^\s/?#]*@/g, '//***@')
    .replace(/(^|\s)[^\s/?#]+:[^\s/?#]*@/g, '$1***@')
    .replace(/(:\/\/[^\s?#]*[?#])\S*/g, '$1***')
}
