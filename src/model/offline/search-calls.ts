import type { Angle } from './angle.ts'
import { configGlob, docsGlob, testGlob } from './file-kind.ts'
import type { Term } from './term.ts'

/** A tool call that the model wants to make. */
export interface WantedCall {
  readonly tool: string
  readonly input: Readonly<Record<string, string | number | boolean>>
}

const COUNT_ROWS = 500
const CONTENT_ROWS = 120
const FILE_ROWS = 300
/** A term with more lines in one file would push the others out of the rows that are shown. */
const MANY = 150
const FEW = 30

/** How the files with a term are found: each file with its number of matching lines. */
export function countCall(term: Term, angle: Angle, loose: boolean): WantedCall {
  return grep(termPattern(term, loose), angle, { output_mode: 'count', limit: COUNT_ROWS })
}

/** Lines that define something named by one of the terms. */
export function definitionCall(angle: Angle): WantedCall | null {
  const stems = nameStems(angle.terms)
  if (stems.length === 0) return null
  const keyword =
    '(?:function|class|interface|enum|struct|trait|impl|def|defp|fn|func|fun|type|const|let|var|val|module|namespace|record|protocol|sub|proc|typedef|message|service|table|view)'
  return grep(
    `(?i:\\b${keyword}\\*?\\s+(?:\\([^)]*\\)\\s*)?[\\w$.]*(?:${stems.join('|')}))`,
    angle,
    content(CONTENT_ROWS),
  )
}

/** Lines that speak of two terms at once. */
export function togetherCall(angle: Angle): WantedCall | null {
  const groups = angle.terms
    .slice(0, 3)
    .map((term) => `(?:${[...term.stems.slice(0, 1), ...term.soft].slice(0, 7).map(stemPattern).join('|')})`)
  if (groups.length < 2) return null
  const both = groups.flatMap((a, i) => groups.flatMap((b, j) => (i === j ? [] : [`${a}.{0,80}${b}`])))
  return grep(`(?i:${both.join('|')})`, angle, content(CONTENT_ROWS))
}

export interface FileSearch {
  readonly terms: readonly Term[]
  /** Matching lines of the file, one number a term. */
  readonly counts: readonly number[]
  readonly loose: boolean
  readonly names: readonly string[]
}

/** The lines of one file that speak of any term; of related words, too, where there are few. */
export function fileCall(path: string, { terms, counts, loose, names }: FileSearch): WantedCall {
  const all = counts.reduce((sum, count) => sum + count, 0)
  const rare = terms.filter((_, i) => loose || (counts[i] ?? 0) <= MANY)
  const own = rare.length > 0 ? rare : terms.slice(0, 1)
  const stems = [
    ...new Set(own.flatMap((term) => [...term.stems, ...(loose || all <= FEW ? term.soft : [])])),
  ].map(stemPattern)
  const literals = names.map(escape)
  return {
    tool: 'grep',
    input: { pattern: `(?i:${[...stems, ...literals].join('|')})`, path, ...content(FILE_ROWS) },
  }
}

/** Lines of an angle's files that name something exactly. */
export function nameCall(names: readonly string[], angle: Angle): WantedCall {
  return grep(`\\b(?:${names.map(escape).join('|')})\\b`, angle, content(CONTENT_ROWS))
}

export function fileNameCall(angle: Angle): WantedCall | null {
  const scope = angle.scope === null ? {} : { path: angle.scope }
  const paths = angle.terms.flatMap(({ exact }) =>
    exact !== null && /^[\w@-][\w@./-]*[./][\w@-]+$/.test(exact) ? [exact] : [],
  )
  if (paths.length > 0)
    return {
      tool: 'glob',
      input: {
        pattern: `{${paths
          .slice(0, 4)
          .flatMap((path) => [`**/${path}`, `**/${path}/**`])
          .join(',')}}`,
        ...scope,
      },
    }
  const stems = nameStems(angle.terms).filter((stem) => stem.length > 2 && /^[a-z\d]+$/.test(stem))
  if (stems.length === 0) return null
  const spellings = [...new Set(stems.flatMap((stem) => [stem, stem[0]!.toUpperCase() + stem.slice(1)]))]
  const glob = `**/*${spellings.length === 1 ? spellings[0] : `{${spellings.join(',')}}`}*`
  return { tool: 'glob', input: { pattern: glob, ...scope } }
}

export function readCall(path: string, offset: number, limit: number): WantedCall {
  return { tool: 'read', input: { file_path: path, offset: Math.max(1, offset), limit } }
}

function grep(pattern: string, angle: Angle, rest: Record<string, string | number>): WantedCall {
  const scope = angle.scope === null ? {} : { path: angle.scope }
  return { tool: 'grep', input: { pattern, ...scope, ...globOf(angle), ...rest } }
}

/** A scope may be one file, where a glob of folders would exclude it. */
function globOf(angle: Angle): { glob?: string } {
  if (angle.scope !== null && /\.\w+$/.test(angle.scope)) return {}
  switch (angle.kind) {
    case 'tests':
      return { glob: testGlob }
    case 'docs':
      return { glob: docsGlob }
    case 'config':
      return { glob: configGlob }
    default:
      return {}
  }
}

function content(limit: number): { output_mode: string; limit: number } {
  return { output_mode: 'content', limit }
}

function termPattern(term: Term, loose: boolean): string {
  if (loose) return `(?i:${[...term.stems, ...term.soft].map(stemPattern).join('|')})`
  if (term.exact !== null && !/\s/.test(term.exact)) return `(?i:${escape(term.exact.replace(/^[@#.]/, ''))})`
  if (term.stems.length > 1) return `(?i:${term.stems.map(escape).join('[\\s_.-]*\\w{0,6}[\\s_.-]*')})`
  return `(?i:${stemPattern(term.stems[0]!)})`
}

/** A short stem only at the beginning of a word or of a part of an identifier: `log` is not meant in `catalog`. */
function stemPattern(stem: string): string {
  return stem.length > 4 || !/^\w+$/.test(stem) ? escape(stem) : shortPattern(stem)
}

function shortPattern(stem: string): string {
  const capital = stem[0]!.toUpperCase() + stem.slice(1)
  return `(?:\\b_*${escape(stem)}|_${escape(stem)}|(?-i:${escape(capital)}))`
}

function nameStems(terms: readonly Term[]): string[] {
  const strong = terms.filter((term) => term.weight > 0.5)
  return [
    ...new Set((strong.length > 0 ? strong : terms).map((term) => term.stems.map(escape).join('_?'))),
  ].slice(0, 5)
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
