import type { Angle } from './angle.ts'
import type { PastCall } from './prompt-transcript.ts'
import { ENDINGS, spellingsOf } from './stem.ts'
import type { Term } from './term.ts'

/** A tool call that the model wants to make. */
export interface WantedCall {
  readonly tool: string
  readonly input: Readonly<Record<string, string | number | boolean>>
}

/** The model's text and next calls. No calls: it is done. */
export interface Thought {
  readonly text: string
  readonly calls: readonly WantedCall[]
}

const COUNT_ROWS = 500
const FILE_ROWS = 300

/** The earlier identical call. */
export function pastCall(wanted: WantedCall, calls: readonly PastCall[]): PastCall | undefined {
  const key = JSON.stringify(wanted.input)
  return calls.find((call) => call.tool === wanted.tool && JSON.stringify(call.input) === key)
}

/** The files with a term, each with its number of matches. */
export function countCall(term: Term, scope: string | null): WantedCall {
  return grepCall(`(?i:${ownPattern(term)})`, scope, { output_mode: 'count', limit: COUNT_ROWS })
}

/** The files with a synonym of a term; null if it has none. */
export function synonymsCall(term: Term, scope: string | null): WantedCall | null {
  const patterns = synonymsOf(term).flatMap(spellingsOf).map(stemPattern)
  if (patterns.length === 0) return null
  return grepCall(`(?i:${patterns.join('|')})`, scope, { output_mode: 'count', limit: COUNT_ROWS })
}

/** The files that contain tests, whatever their names are. */
export function testMarksCall(scope: string | null): WantedCall {
  return grepCall(MARKS_OF_TESTS, scope, { output_mode: 'count', limit: COUNT_ROWS })
}

const MARKS_OF_TESTS =
  '#\\[(\\w+::)?test\\]|#\\[cfg\\(test\\)\\]|^\\s*(async )?def test_|^\\s*(it|test|describe)(\\.\\w+)*\\(|^func Test|^\\s*@Test\\b|^\\s*TEST(_[FP])?\\('

/** The lines of one file with any term, and where its tests start. */
export function fileCall(path: string, terms: readonly Term[]): WantedCall {
  const tests = path.endsWith('.rs') ? ['#\\[cfg\\(test\\)\\]'] : []
  return {
    tool: 'grep',
    input: {
      pattern: `(?i:${[...terms.map(termPattern), ...tests].join('|')})`,
      path,
      output_mode: 'content',
      limit: FILE_ROWS,
    },
  }
}

/** The files that the question names; null if it names none. */
export function namedFilesCall({ terms, scope }: Angle): WantedCall | null {
  const paths = terms.flatMap(({ exact }) =>
    exact !== null && /^[\w@-][\w@./-]*[./][\w@-]+$/.test(exact) ? [exact] : [],
  )
  if (paths.length === 0) return null
  const globs = paths.slice(0, 4).flatMap((path) => [`**/${path}`, `**/${path}/**`])
  return {
    tool: 'glob',
    input: { pattern: `{${globs.join(',')}}`, ...(scope === null ? {} : { path: scope }) },
  }
}

/** Some code files: whether there are any. */
export function codeFilesCall(scope: string | null): WantedCall {
  return { tool: 'glob', input: { pattern: CODE_FILES, ...(scope === null ? {} : { path: scope }) } }
}

const CODE_FILES =
  '**/*.{c,h,cc,cpp,hpp,cs,go,rs,zig,swift,java,kt,scala,groovy,py,rb,php,pl,lua,js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte,dart,ex,exs,erl,hs,ml,clj,lisp,el,r,jl,sql,sh,bash,ps1}'

export function readCall(path: string, offset: number, limit: number): WantedCall {
  return { tool: 'read', input: { file_path: path, offset: Math.max(1, offset), limit } }
}

export function grepCall(
  pattern: string,
  scope: string | null,
  rest: Record<string, string | number>,
): WantedCall {
  return { tool: 'grep', input: { pattern, ...(scope === null ? {} : { path: scope }), ...rest } }
}

/** All that a place may say of a term: its own forms and its synonyms. */
function termPattern(term: Term): string {
  return [ownPattern(term), ...synonymsOf(term).flatMap(spellingsOf).map(stemPattern)].join('|')
}

/** The word as written, and the words that have its stem: `retries` for `retry`, and not `retrieve`. */
function ownPattern({ word, exact, stems, others }: Term): string {
  if (exact !== null && !/\s/.test(exact)) return escape(exact.replace(/^[@#.]/, ''))
  if (stems.length > 1) return stems.map(escape).join('[\\s_.-]*\\w{0,6}[\\s_.-]*')
  const [own = ''] = stems
  const singular = word
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/(?<=[^s])s$/, '')
  const joined = others.filter((other) => other.includes(own))
  return [...[singular, ...joined].map(fromStart), ...spellingsOf(own).map(stemPattern)].join('|')
}

function synonymsOf({ stems, others }: Term): string[] {
  return others.filter((other) => !other.includes(stems[0]!))
}

/** A word with this stem, to its end. */
function stemPattern(stem: string): string {
  const doubled = /[bdglmnprt]$/.test(stem) ? `${stem.at(-1)}?` : ''
  return `${fromStart(stem)}(?:${doubled}(?:${ENDINGS.join('|')}))?(?-i:[^a-z]|$)`
}

/** A short word matches only at the start of a word or identifier part: `log` does not match `catalog`. */
function fromStart(word: string): string {
  if (!/^\w+$/.test(word)) return escape(word)
  if (word.length > 4) return [...word].join('[_-]?')
  const capital = word[0]!.toUpperCase() + word.slice(1)
  return `(?:\\b_*${escape(word)}|_${escape(word)}|(?-i:${escape(capital)}))`
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
