import { inSentence, wordsOf, type Angle, type AngleKind } from './angle.ts'
import { citationsIn, formatCitation, type Finding } from './citation.ts'

/** What was found for one angle. */
export interface Findings {
  /** Best first. */
  readonly findings: readonly Finding[]
  /** Whether the first place covers the question. */
  readonly sure: boolean
  /** Words of the question that no code contains. */
  readonly missing: readonly string[]
  /** Whether one of them names something: then no place is about it. */
  readonly astray: boolean
}

export interface Section extends Pick<Angle, 'kind' | 'asked' | 'outcome'>, Findings {
  /** Words of the question that were searched for. */
  readonly about: readonly string[]
  /** Replaces the usual one. */
  readonly title?: string
}

export function sectionOf(angle: Angle, found: Findings): Section {
  const { kind, asked, outcome } = angle
  return { kind, asked, outcome, about: wordsOf(angle), ...found }
}

export interface FoundAnswer {
  readonly sections: readonly Section[]
  /** Why calls of the search failed; null if none did. */
  readonly failure: string | null
  /** If nothing matches: what the workspace contains instead. */
  readonly around: readonly Finding[]
}

export const CLOSING =
  'Found and assembled by rules (offline: rule-based search, not a language model). The quoted lines are literal; their order is a guess at what matters.'

const AROUND_TITLE = '**What is here instead**'
const MISSING = 'No code here mentions'
const OTHERS = ' The places below match other words of the question.'
const CLOSEST = 'The closest match is'
const UNSURE = 'No place is a clear match.'
const FAILED = 'The search failed.'
/** The start of a note on a place that a question about uses does not ask for. */
export const DEFINITION = 'the definition of'

/** An answer without its closing words. */
export function writeAnswer({ sections, around, failure }: FoundAnswer): string[] {
  const found = withoutRepeats(sections).filter((section) => section.findings.length > 0)
  const empty = sections.filter((section) => section.asked && section.findings.length === 0)
  return [
    lead(sections, failure),
    ...found.map(writeSection),
    ...(empty.length === 0 || found.length === 0
      ? []
      : [`Nothing was found for: ${empty.map(headingOf).join('; ')}.`]),
    ...(around.length === 0 ? [] : [`${AROUND_TITLE}\n\n${around.map(row).join('\n')}`]),
  ]
}

/** A place that answers two angles is listed in the first. */
function withoutRepeats(sections: readonly Section[]): Section[] {
  const seen = new Set<string>()
  return sections.map((section) => ({
    ...section,
    findings: section.findings.filter(({ path, line }) => {
      const key = `${path}:${line}`
      return seen.has(key) ? false : (seen.add(key), true)
    }),
  }))
}

/** One verdict for each thing that was asked, with its words if there are several. */
function lead(sections: readonly Section[], failure: string | null): string {
  const asked = sections.filter((section) => section.asked)
  const verdicts = asked.flatMap((section) => {
    const text = verdict(section, sections)
    return text === '' ? [] : [{ text, label: labelOf(section, asked) }]
  })
  const same = new Set(asked.map(({ missing }) => missing.join())).size === 1
  const told = same && asked[0]!.missing.length > 0 ? verdicts.slice(0, 1) : verdicts
  if (told.length === 0) return failure === null ? NOTHING : `${FAILED} ${failure}`
  return told.length === 1 ? told[0]!.text : told.map(labelled).join(' ')
}

const NOTHING = 'Nothing was found. Other words, or the name of a function or file, may help.'

function labelled({ text, label }: { readonly text: string; readonly label: string }): string {
  if (label === '') return text
  return `On ${label}: ${text[0]!.toLowerCase()}${text.slice(1)}`
}

/** The words of a half of the question that the others do not have. */
function labelOf(section: Section, asked: readonly Section[]): string {
  const others = asked.filter((other) => other !== section).flatMap(({ about }) => about)
  const own = section.about.filter((word) => !others.includes(word)).slice(0, 3)
  if (own.length > 0) return own.join(', ')
  if (section.outcome) return 'what happens'
  if (section.kind !== 'implementation') return TITLES[section.kind].toLowerCase()
  const isAlone = asked.every((other) => other === section || other.kind !== section.kind)
  return isAlone ? '' : section.about.slice(0, 3).join(', ')
}

/** Empty if nothing can be said of it. */
function verdict(section: Section, sections: readonly Section[]): string {
  const { kind, sure, missing, astray, about } = section
  const [first] = section.findings
  const related = sections.find(({ findings }) => findings.length > 0)
  if (missing.length > 0) {
    const lacks = `${MISSING} ${listed(missing)}.`
    if (!related) return lacks
    return astray ? `${lacks}${OTHERS}` : `${lacks} ${CLOSEST} ${placeOf(first ? section : related)}.`
  }
  const unused = kind === 'usage' && about.length > 0 && (!first || first.note.startsWith(DEFINITION))
  const none = unused ? `No use of ${listed(about)} is found here.` : ''
  if (first && none) return `${none} ${capital(first.note)} is in ${first.path}, line ${first.line}.`
  if (first) return sure ? `${SURE[kind]} ${placeOf(section)}.` : `${UNSURE} ${CLOSEST} ${placeOf(section)}.`
  const isRelated = related && !related.asked
  return isRelated ? `${none || 'Nothing matches directly.'} A related place is ${placeOf(related)}.` : none
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1)
}

function placeOf({ findings: [first] }: Section): string {
  const { path, line, note } = first!
  return `${path}, line ${line}${note === '' ? '' : ` (${note})`}`
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

export function writeSection(section: Section): string {
  return [`**${headingOf(section)}**`, '', ...section.findings.map(row)].join('\n').trimEnd()
}

function headingOf(section: Section): string {
  const {
    kind,
    title,
    about,
    missing,
    outcome,
    findings: [first],
  } = section
  const lacks = kind === 'implementation' && missing.length > 0
  const usual = first?.note.startsWith(DEFINITION) ? 'Definition' : lacks ? 'Other matches' : TITLES[kind]
  const words = about.filter((word) => !missing.includes(word)).slice(0, 4)
  const aim = outcome && kind === 'implementation' ? ' for what happens' : ''
  return (title ?? usual + aim) + (words.length === 0 ? '' : ` (${words.join(', ')})`)
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

const MAX_FINDINGS = 8

/** Parses a report: places, and the words that it calls missing. Ignores everything else. */
export function readAnswer(report: string, words: readonly string[]) {
  const [fitting = '', around = ''] = report.split(`\n${AROUND_TITLE}\n`)
  const said = new RegExp(`^${MISSING} (.+?)\\.(?:${OTHERS}| ${CLOSEST} .*)?$`, 'm').exec(fitting)?.[1]
  const missing = words.filter((word) => said?.split(/, | or /).includes(word))
  return {
    findings: findingsIn(fitting).slice(0, MAX_FINDINGS),
    missing,
    astray: missing.length > 0 && fitting.includes(OTHERS),
    sure: said === undefined && !fitting.includes(UNSURE),
    around: findingsIn(around).slice(0, MAX_FINDINGS),
    failure: inSentence(new RegExp(`^${FAILED} (.+)$`, 'm').exec(fitting)?.[1] ?? '').slice(0, 300) || null,
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
