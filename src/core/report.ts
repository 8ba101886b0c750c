/** The first sentence of a report, for people: no model call is needed for a headline. */
export function headline(report: string, maxChars = 120): string {
  const line =
    report
      .split('\n')
      .map(plain)
      .find((text) => text !== '') ?? ''
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line
  return sentence.length > maxChars ? `${sentence.slice(0, maxChars - 1)}…` : sentence
}

function plain(line: string): string {
  return line
    .replace(/^[\s#>*-]+/, '')
    .replace(/[*_`]/g, '')
    .trim()
}
