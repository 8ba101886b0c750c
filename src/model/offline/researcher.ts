import type { Thought, WantedCall } from './search-calls.ts'
import { spokenIn, termsOf, weigh, type Term } from './term.ts'
import type { PastCall, Transcript } from './prompt-transcript.ts'

const LIMITS =
  'These are quotations (offline: rule-based search, not a language model): they share words with the question. A person or a language model has to judge whether they are relevant and still true.'
const MAX_PAGES = 3
const MAX_QUOTES = 5
const MAX_LINES = 2_000
const MAX_CHARS = 200

/** Opens the addresses that a question names, or asks for some, and quotes matching lines. null: nothing to open. */
export function research(
  { question, steers, turns }: Transcript,
  offered: ReadonlySet<string>,
): Thought | null {
  const text = [question, ...steers].join('\n')
  const past = turns.flat().filter(({ tool }) => tool === 'webfetch' || tool === 'websearch')
  if (past.length > 0) return { text: report(past, termsOf(text.replace(ADDRESS, ' '))), calls: [] }
  const pages = addressesIn(text).map((url): WantedCall => ({ tool: 'webfetch', input: { url } }))
  if (pages.length > 0) return offered.has('webfetch') ? { text: '', calls: pages } : null
  const query = text.replace(/\s+/g, ' ').trim().slice(0, 200)
  if (query === '' || !offered.has('websearch')) return null
  return { text: '', calls: [{ tool: 'websearch', input: { query } }] }
}

const ADDRESS = /https?:\/\/[^\s<>"'`)\]]+/gi

function addressesIn(text: string): string[] {
  const found = text.match(ADDRESS)?.map((each) => each.replace(/[.,;:!?]+$/, '')) ?? []
  return [...new Set(found)].slice(0, MAX_PAGES)
}

function report(past: readonly PastCall[], terms: readonly Term[]): string {
  return [...past.map((call) => section(call, terms)), LIMITS].join('\n\n')
}

function section({ tool, input, output, failed }: PastCall, terms: readonly Term[]): string {
  const said = tool === 'webfetch' ? input['url'] : input['query']
  const about = typeof said === 'string' ? said : ''
  if (failed) return `${about}: could not be opened (${oneLine(output)})`
  const lines = linesOf(output)
  const best = tool === 'websearch' ? lines.slice(0, 24) : fitting(lines, terms)
  return [`${about}:`, ...best.map((line) => `- "${line}"`)].join('\n')
}

/** Without its label. */
function linesOf(output: string): string[] {
  const lines = output
    .slice(0, MAX_LINES * MAX_CHARS)
    .split('\n')
    .slice(1, MAX_LINES)
  const end = lines.findLastIndex((line) => /^<\/(web_page|search_results)>$/.test(line))
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .map(oneLine)
    .filter((line) => line !== '')
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_CHARS).toWellFormed()
}

/** The lines with the most terms, as in the page; its start if none match. */
function fitting(lines: readonly string[], terms: readonly Term[]): string[] {
  const scored = lines.map((line, at) => ({ line, at, score: weigh(spokenIn(line, terms)) }))
  const best = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score)
  const chosen = best.length > 0 ? best.slice(0, MAX_QUOTES) : scored.slice(0, MAX_QUOTES)
  return chosen.toSorted((a, b) => a.at - b.at).map(({ line }) => line)
}
