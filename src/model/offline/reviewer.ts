import { amount } from './report.ts'
import { cite, formatCitation } from './citation.ts'
import { linesOf, readFiles } from './evidence.ts'
import { lineKind } from './line-kind.ts'
import { fileKind } from './file-kind.ts'
import type { OfflineQuestion } from './question.ts'
import { pastCall, type WantedCall } from './search-calls.ts'
import type { PastCall, Transcript } from './prompt-transcript.ts'

type Severity = 'High' | 'Medium' | 'Low'

interface Check {
  readonly severity: Severity
  readonly focus: 'bugs' | 'style' | 'performance' | 'security'
  readonly pattern: string
  readonly finding: string
  /** Whether to report it in comments too. */
  readonly inComments?: true
}

/** Patterns of a search; whether a match matters, the search cannot tell. */
const CHECKS: readonly Check[] = [
  {
    severity: 'High',
    focus: 'security',
    pattern:
      '\\beval\\(|new Function\\(|\\.innerHTML\\s*=|dangerouslySetInnerHTML|shell\\s*[:=]\\s*[Tt]rue|pickle\\.loads?\\(',
    finding: 'runs or inserts text that may come from outside; use a form that cannot be executed',
  },
  {
    severity: 'High',
    focus: 'security',
    pattern: '(?i)\\b(password|secret|api_?key|token)\\b["\']?\\s*[:=]\\s*["\'][^"\'\\s]{12,}["\']',
    finding: 'looks like a secret in the code; move it out and replace it',
  },
  {
    severity: 'Medium',
    focus: 'bugs',
    pattern:
      'catch\\s*(\\([^)]*\\))?\\s*\\{\\s*\\}|\\.catch\\(\\(\\w*\\)\\s*=>\\s*\\{\\s*\\}\\)|^\\s*except( Exception)?:\\s*(pass\\s*)?$',
    finding: 'an error is dropped without a trace; handle it, or say why it may be dropped',
  },
  {
    severity: 'Medium',
    focus: 'bugs',
    pattern: '\\bTODO\\b|\\bFIXME\\b|\\bXXX\\b|\\bHACK\\b',
    finding: 'marked as unfinished by its author; finish it or remove the mark',
    inComments: true,
  },
  {
    severity: 'Medium',
    focus: 'bugs',
    pattern: '@ts-ignore|@ts-nocheck|eslint-disable|# type: ignore|# noqa|@SuppressWarnings',
    finding: 'a check is switched off here; see whether it was right',
    inComments: true,
  },
  {
    severity: 'Medium',
    focus: 'performance',
    pattern: '\\b(readFileSync|execSync|spawnSync)\\(|time\\.sleep\\(|Thread\\.sleep\\(',
    finding: 'blocks its thread; use the asynchronous form where others wait for it',
  },
  {
    severity: 'Low',
    focus: 'style',
    pattern: '\\bconsole\\.(log|debug)\\(|\\bdebugger\\b|^\\s*print\\(|\\bfmt\\.Println\\(|\\bdbg!\\(',
    finding: 'prints directly; remove it if it was for debugging',
  },
  { severity: 'Low', focus: 'style', pattern: '^.{161,}$', finding: 'a very long line; break it up' },
]

const ROWS = 40
const SHOWN_PER_CHECK = 4
const FILES_READ = 6

/** First the patterns in parallel, then reads of the best places. */
export function reviewCalls(
  question: OfflineQuestion,
  { turns, turnsBeforeSteer }: Transcript,
): WantedCall[] {
  const checks = checksFor(question)
  const past = turns.flat()
  const done = turns.length - turnsBeforeSteer
  if (done === 0)
    return checks.map(({ pattern }) => checkCall(pattern, question)).filter((call) => !pastCall(call, past))
  if (done > 1) return []
  const places = checks.flatMap((check) => hits(check, question, past).slice(0, 2))
  const files = [...new Map(places.map((place) => [place.path, place])).values()].slice(0, FILES_READ)
  return files.map(({ path, line }) => ({
    tool: 'read',
    input: { file_path: path, offset: Math.max(1, line - 10), limit: 40 },
  }))
}

export function writeReview(question: OfflineQuestion, past: readonly PastCall[]): string {
  const groups = checksFor(question).map((check) => ({ check, found: hits(check, question, past) }))
  const total = groups.reduce((sum, { found }) => sum + found.length, 0)
  const sections = (['High', 'Medium', 'Low'] as const).flatMap((severity) => {
    const rows = groups
      .filter(({ check }) => check.severity === severity)
      .flatMap(({ check, found }) => findings(check, found))
    return rows.length === 0 ? [] : [`**${severity}**\n\n${rows.join('\n')}`]
  })
  return [verdict(total, past), ...sections, LIMITS].join('\n\n')
}

const LIMITS =
  'Not looked at: what the code means. This review was made by patterns (offline: rule-based search, not a language model); each finding is a place to look at, not a proven fault.'

function verdict(total: number, past: readonly PastCall[]): string {
  const failed = past.filter((call) => call.failed).length
  const trouble =
    failed === 0 ? '' : ` ${failed} of ${past.length} calls did not succeed, so this may be incomplete.`
  if (past.length === 0) return 'Nothing was reviewed: no tool to search with was offered.'
  return (
    (total === 0
      ? 'None of the patterns that I know as trouble was found.'
      : `${amount(total, 'place')} ${total === 1 ? 'fits' : 'fit'} patterns that often mean trouble.`) +
    trouble
  )
}

function findings(check: Check, found: ReturnType<typeof hits>): string[] {
  return found.slice(0, SHOWN_PER_CHECK).map(({ citation }) => formatCitation(citation, check.finding))
}

function hits(check: Check, question: OfflineQuestion, past: readonly PastCall[]) {
  const call = pastCall(checkCall(check.pattern, question), past)
  const { refused } = readFiles(past)
  const scope = scopeOf(question)
  return (call ? linesOf(call) : []).flatMap((seen) => {
    const kind = fileKind(seen.path)
    const unwanted =
      (scope === undefined && kind !== 'source') ||
      (!check.inComments && lineKind(seen.text, seen.path).type === 'comment')
    const citation = unwanted || refused.has(seen.path) ? null : cite(seen)
    return citation ? [{ ...seen, citation }] : []
  })
}

function checkCall(pattern: string, question: OfflineQuestion): WantedCall {
  const scope = scopeOf(question)
  return {
    tool: 'grep',
    input: { pattern, ...(scope === undefined ? {} : { path: scope }), output_mode: 'content', limit: ROWS },
  }
}

function checksFor(question: OfflineQuestion): readonly Check[] {
  const focus = CHECKS.filter((check) => check.focus === question.focus)
  return focus.length > 0 ? focus : CHECKS
}

function scopeOf(question: OfflineQuestion): string | undefined {
  return question.angles.find((angle) => angle.scope !== null)?.scope ?? undefined
}
