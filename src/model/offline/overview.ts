import type { Angle } from './angle.ts'
import { cite, type Finding } from './citation.ts'
import { linesOf, readFiles } from './evidence.ts'
import { fileKind, isProse } from './file-kind.ts'
import { lineKind } from './line-kind.ts'
import type { PastCall } from './prompt-transcript.ts'
import { grepCall, pastCall, type WantedCall } from './search-calls.ts'

const MANIFESTS =
  '**/{package.json,pyproject.toml,setup.py,Cargo.toml,go.mod,composer.json,*.gemspec,pom.xml,build.gradle*}'
const ABOUT = '^\\s*(#{1,3}|=+)\\s+\\S.{4,}|^[A-Z].{40,}'
const DESCRIPTION = '"?(description|name|summary)"?\\s*[:=]\\s*"'
const MANIFEST_ENTRY =
  '"(main|module|bin|exports|types|start|test|build)"\\s*:|^\\[(project\\.scripts|\\[?bin)'
const ENTRY =
  '^(async )?(func|fn|def|function) main\\b|if __name__ == .__main__|public static (async )?(void|int|Task) main|^module\\.exports\\s*=|^export default |^exports = module|\\bint main\\('
/** Definitions at the left margin, or one level in. */
const OUTLINE =
  '^(\\t| {0,4})((export|default|public|pub(\\([^)]*\\))?|async|abstract|static|final|declare) )*(function\\*?|class|interface|enum|struct|trait|impl|def|fn|func|type|const|module|namespace|record) +[\\w$(]|^(int|void|char|static|\\w+_t) \\w.*\\)|^#{1,3} \\S'

/** Searches for an angle without terms: a project's description, its entry points, a folder's definitions. */
export function overviewCalls({ kind, scope }: Angle): WantedCall[] {
  const search = (pattern: string, limit: number, glob?: string) =>
    grepCall(pattern, scope, { ...(glob ? { glob } : {}), output_mode: 'content', limit })
  if (kind === 'overview')
    return [search(ABOUT, 80, '**/{README,readme,ABOUT,ARCHITECTURE}*'), search(DESCRIPTION, 30, MANIFESTS)]
  if (kind === 'outline') return [search(OUTLINE, 200)]
  return [search(MANIFEST_ENTRY, 40, MANIFESTS), search(ENTRY, 60)]
}

const AROUND = ['outline', 'entry', 'overview'] as const

/** General findings, whatever the question is. */
export function surroundingCalls(angle: Angle): WantedCall[] {
  return AROUND.flatMap((kind) => overviewCalls({ ...angle, kind }))
}

/** General findings by kind in turn: definitions, entry points, the project's description. */
export function surroundingsOf(angle: Angle, calls: readonly PastCall[]): Finding[] {
  const lists = AROUND.map((kind) => rankOverview({ ...angle, kind }, calls))
  const longest = Math.max(...lists.map(({ length }) => length))
  const inTurn = Array.from({ length: longest }, (_, i) =>
    lists.flatMap((list) => list.slice(i, i + 1)),
  ).flat()
  return [...new Map(inTurn.map((each) => [`${each.path}:${each.line}`, each])).values()]
}

/** The found lines: shallow files first, headings and functions before sentences, early lines before late ones. */
export function rankOverview(angle: Angle, calls: readonly PastCall[]): Finding[] {
  const { refused } = readFiles(calls)
  const own = overviewCalls(angle).flatMap((call) => pastCall(call, calls) ?? [])
  const lines = own.flatMap(linesOf).filter(({ path, text }) => !refused.has(path) && !DECORATION.test(text))
  return lines
    .map((seen) => ({ ...seen, score: scoreOf(seen, angle) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))
    .flatMap((line) => {
      const { type, name } = lineKind(line.text, line.path)
      const citation = cite(line)
      const note = type === 'definition' ? `defines ${name.replace(/[^\p{L}\p{N}_$.]/gu, '')}` : ''
      return citation ? [{ ...citation, note, shown: [] }] : []
    })
}

/** Badges, markup and rulers. */
const DECORATION = /^\s*(\[!\[|<|!\[|```|---|===)/

function scoreOf(
  { path, line, text }: { path: string; line: number; text: string },
  { kind, scope }: Angle,
): number {
  const file = fileKind(path)
  const type = lineKind(text, path).type
  if (file === 'noise' || (file !== 'source' && scope === null && kind === 'outline')) return 0
  if (file === 'test' && kind !== 'outline') return 0
  const early = isProse(path) ? 1 / (1 + line / 40) : 0.9
  const form = type === 'heading' ? 1.3 : kind === 'outline' ? shape(text) : 1
  return (early * form) / (kind === 'outline' && scope !== null ? 1 : path.split('/').length)
}

/** For a folder: its exports, functions and classes before types. */
function shape(text: string): number {
  if (/^\s/.test(text)) return 0.5
  const isOpen = /^(export|pub|public|class|interface|module|def [a-z]|func [A-Z])\b/.test(text)
  if (!isOpen) return 1
  return /\b(function|class|def|fn|func)\b/.test(text) ? 1.8 : 1.5
}
