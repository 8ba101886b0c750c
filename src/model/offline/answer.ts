import type { AngleKind } from './angle.ts'
import { citationsIn, formatCitation, type Finding } from './citation.ts'

export interface Section {
  readonly kind: AngleKind
  /** Words of the question that were searched for. */
  readonly about: readonly string[]
  /** Replaces the usual one. */
  readonly title?: string
  readonly asked: boolean
  readonly findings: readonly Finding[]
  /** Whether the first place covers most of the question. */
  readonly sure: boolean
}

export interface FoundAnswer {
  readonly sections: readonly Section[]
  /** Words of the question that no code contains. */
  readonly missing: readonly string[]
  /** Whether no place is the answer because they are missing. */
  readonly astray: boolean
  /** If nothing matches: what the workspace contains instead. */
  readonly around: readonly Finding[]
}

export const CLOSING =
  'Found and assembled by rules (offline: rule-based search, not a language model). The quoted lines are literal; their order is a guess at what matters.'

const AROUND_TITLE = '**What is here instead**'
const MISSING = 'No code here mentions'
const OTHERS = ' The places below match other words of the question.'
const CLOSEST = 'The closest match is'
const UNSURE = 'No single place matches all of it.'

/** An answer without its closing words. */
export function writeAnswer({ sections, missing, astray, around }: FoundAnswer): string[] {
  const found = sections.filter((section) => section.findings.length > 0)
  const empty = sections.filter((section) => section.asked && section.findings.length === 0)
  return [
    lead(found, missing, astray),
    ...found.map((section) => writeSection(section, missing)),
    ...(empty.length === 0 || found.length === 0
      ? []
      : [`Nothing was found for: ${empty.map((section) => headingOf(section, missing)).join('; ')}.`]),
    ...(around.length === 0 ? [] : [`${AROUND_TITLE}\n\n${around.map(row).join('\n')}`]),
  ]
}

function lead(found: readonly Section[], missing: readonly string[], astray: boolean): string {
  const lacks = missing.length > 0 ? `${MISSING} ${listed(missing)}.` : ''
  if (found.length === 0)
    return lacks || 'Nothing was found. Other words, or the name of a function or file, may help.'
  if (lacks && astray) return `${lacks}${OTHERS}`
  const asked = found.filter((section) => section.asked)
  if (lacks) return `${lacks} ${CLOSEST} ${placeOf(asked[0] ?? found[0]!)}.`
  return (asked.length > 0 ? asked : found.slice(0, 1)).slice(0, 3).map(sentence).join(' ')
}

function placeOf({ findings: [first] }: Section): string {
  const { path, line, note } = first!
  return `${path}, line ${line}${note === '' ? '' : ` (${note})`}`
}

function sentence(section: Section): string {
  const { kind, sure, asked } = section
  const place = placeOf(section)
  if (!asked) return `Nothing matches directly. A related place is ${place}.`
  return sure ? `${SURE[kind]} ${place}.` : `${UNSURE} ${CLOSEST} ${place}.`
}

const SURE: Readonly<Record<AngleKind, string>> = {
  implementation: 'The answer is most likely in',
  tests: 'The tests are most likely in',
  usage: 'It is most likely used in',
  docs: 'The documentation is most likely in',
  config: 'The configuration is most likely in',
  overview: 'The project describes itself in',
  entry: 'The program most likely starts in',
  outline: 'The most important definition is probably in',
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

export function writeSection(section: Section, missing: readonly string[] = []): string {
  return [`**${headingOf(section, missing)}**`, '', ...section.findings.map(row)].join('\n').trimEnd()
}

function headingOf({ kind, title, about }: Section, missing: readonly string[]): string {
  const usual = kind === 'implementation' && missing.length > 0 ? 'Other matches' : TITLES[kind]
  const words = about.filter((word) => !missing.includes(word)).slice(0, 4)
  return (title ?? usual) + (words.length === 0 ? '' : ` (${words.join(', ')})`)
}

const TITLES: Readonly<Record<AngleKind, string>> = {
  implementation: 'Best matches',
  tests: 'Tests',
  usage: 'Uses',
  docs: 'Documentation',
  config: 'Configuration',
  overview: 'What it is',
  entry: 'Where it starts',
  outline: 'What it defines',
}

/** File lines are shown as indented code, which they cannot end. */
function row(finding: Finding): string {
  const lines = codeLines(finding.shown)
  return [formatCitation(finding, finding.note), ...(lines.length === 0 ? [] : ['', ...lines, ''])].join('\n')
}

export function codeLines(shown: readonly { readonly line: number; readonly text: string }[]): string[] {
  const width = String(shown.at(-1)?.line ?? '').length
  return shown.map(({ line, text }) => `      ${String(line).padStart(width)} | ${visible(text)}`.trimEnd())
}

const MAX_SHOWN = 160

function visible(text: string): string {
  return text
    .replaceAll('\t', '    ')
    .replace(/[\p{C}\u2028\u2029]/gu, '\ufffd')
    .slice(0, MAX_SHOWN)
    .toWellFormed()
}

/** Parses a report: places, and the words that it calls missing. Ignores everything else. */
export function readAnswer(report: string, words: readonly string[]) {
  const [fitting = '', around = ''] = report.split(`\n${AROUND_TITLE}\n`)
  const said = new RegExp(`^${MISSING} (.+?)\\.(?:${OTHERS}| ${CLOSEST} .*)?$`, 'm').exec(fitting)?.[1]
  return {
    findings: findingsIn(fitting),
    missing: words.filter((word) => said?.split(/, | or /).includes(word)),
    astray: fitting.includes(OTHERS),
    sure: said === undefined && !fitting.includes(UNSURE),
    around: findingsIn(around),
  }
}

function findingsIn(text: string): Finding[] {
  const found: Finding[] = []
  let shown: { line: number; text: string }[] = []
  for (const each of text.split('\n')) {
    const [citation] = citationsIn(each)
    const code = /^ {6} *(\d+) \|(?: (.*))?$/.exec(each)
    if (citation) found.push({ ...citation, note: noteIn(each, citation.excerpt), shown: (shown = []) })
    else if (code && shown.length < 5) shown.push({ line: Number(code[1]), text: code[2] ?? '' })
  }
  return found
}

/** The text after a citation in a report. */
function noteIn(row: string, excerpt: string): string {
  const at = row.lastIndexOf(`\`${excerpt}\` - `)
  return at < 0
    ? ''
    : row
        .slice(at + excerpt.length + 5)
        .replace(/[`:*\p{C}]/gu, ' ')
        .slice(0, 80)
}
