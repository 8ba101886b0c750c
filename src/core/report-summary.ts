/** The first sentence of a report: a headline without a model call. */
export function headline(report: string, maxChars = 120): string {
  const line =
    report
      .split('\n')
      .map(plain)
      .find((text) => text !== '') ?? ''
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line
  return sentence.length > maxChars ? `${sentence.slice(0, maxChars - 1)}…` : sentence
}

/** Ways to shorten a report without a model. Empty result: the report has no such content. */
export const summaryPresets = {
  /** Its first sentence. */
  headline: (report: string) => headline(report, 500),
  /** Its first paragraph that is not a heading. */
  'first-paragraph': (report: string) =>
    report
      .split(/\n[^\S\n]*\n/)
      .map((each) => each.replace(/^\s*#[^\n]*\n?/, '').trim())
      .find((each) => each !== '') ?? '',
  /** Its list items, each with its first line. */
  bullets: (report: string) =>
    report
      .split('\n')
      .filter((line) => /^\s*([-*+]|\d+[.)])\s+\S/.test(line))
      .join('\n'),
} as const satisfies Readonly<Record<string, (report: string) => string>>

export type SummaryPreset = keyof typeof summaryPresets

export function isSummaryPreset(name: string): name is SummaryPreset {
  return Object.hasOwn(summaryPresets, name)
}

function plain(line: string): string {
  return line
    .replace(/^[\s#>*-]+/, '')
    .replace(/[*_`]/g, '')
    .trim()
}
