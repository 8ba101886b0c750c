import type { SeenLines } from './evidence.ts'
import { isProse, lineKind } from './line-kind.ts'
import { fileKind } from './file-kind.ts'
import type { RankedLine } from './rank.ts'
import type { Angle } from './angle.ts'
import type { WantedCall } from './search-calls.ts'

/** The survey of an angle without terms: what a project says about itself, or where its program begins. */
export function overviewCalls(angle: Angle): WantedCall[] {
  const scope = angle.scope === null ? {} : { path: angle.scope }
  if (angle.kind === 'overview') {
    return [
      ...(angle.scope === null ? [{ tool: 'list', input: {} }] : []),
      {
        tool: 'grep',
        input: {
          pattern: '^\\s*(#{1,3}|=+)\\s+\\S.{4,}|^[A-Z].{40,}',
          ...scope,
          glob: '**/{README,readme,ABOUT,ARCHITECTURE}*',
          output_mode: 'content',
          limit: 80,
        },
      },
      {
        tool: 'grep',
        input: {
          pattern: '"?(description|name|summary)"?\\s*[:=]\\s*"',
          ...scope,
          glob: MANIFESTS,
          output_mode: 'content',
          limit: 30,
        },
      },
    ]
  }
  if (angle.kind === 'outline')
    return [{ tool: 'grep', input: { pattern: OUTLINE, ...scope, output_mode: 'content', limit: 200 } }]
  return [
    {
      tool: 'grep',
      input: {
        pattern: '"(main|module|bin|exports|types|start|test|build)"\\s*:|^\\[(project\\.scripts|\\[?bin)',
        ...scope,
        glob: MANIFESTS,
        output_mode: 'content',
        limit: 40,
      },
    },
    { tool: 'grep', input: { pattern: ENTRY, ...scope, output_mode: 'content', limit: 60 } },
  ]
}

const MANIFESTS =
  '**/{package.json,pyproject.toml,setup.py,Cargo.toml,go.mod,composer.json,*.gemspec,pom.xml,build.gradle*}'

/** Definitions at the left margin, or one level in. */
const OUTLINE =
  '^(\\t| {0,4})((export|default|public|pub(\\([^)]*\\))?|async|abstract|static|final|declare) )*(function\\*?|class|interface|enum|struct|trait|impl|def|fn|func|type|const|module|namespace|record) +[\\w$(]|^#{1,3} \\S'

const ENTRY =
  '^(async )?(func|fn|def|function) main\\b|if __name__ == .__main__|public static (async )?(void|int|Task) main|^module\\.exports\\s*=|^export default |^exports = module|\\bint main\\('

/** Lines of an angle without terms: shallow files first, headings and declarations before sentences, early lines before late ones. */
export function rankOverview(angle: Angle, seen: SeenLines): RankedLine[] {
  const ranked: RankedLine[] = []
  for (const [path, lines] of seen) {
    if (angle.kind !== 'outline' && (fileKind(path) === 'noise' || fileKind(path) === 'test')) continue
    const prose = isProse(path)
    for (const [line, text] of lines) {
      const kind = lineKind(text, path)
      if (kind.type === 'trivial' || DECORATION.test(text) || !isTelling(text, prose, angle)) continue
      const place = prose ? 1 / (1 + line / 40) : 0.9
      const score = place * (kind.type === 'heading' ? 1.3 : 1) * importance(path, text, angle)
      ranked.push({ path, line, text, kind, score, coverage: 1 })
    }
  }
  return ranked.toSorted(
    (a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line),
  )
}

/** Badges, markup and rulers. */
export const DECORATION = /^\s*(\[!\[|<|!\[|```|---|===)/

/** Of a project the shallow files matter; of a folder what it exports, functions and classes before types. */
function importance(path: string, text: string, angle: Angle): number {
  if (angle.kind !== 'outline') return 1 / path.split('/').length
  if (/^\s/.test(text)) return 0.5
  if (!/^(export|pub|public|class|interface|module|def [a-z]|func [A-Z])\b/.test(text)) return 1
  return /\b(function|class|def|fn|func)\b/.test(text) ? 1.8 : 1.5
}

/** Not every line of a file that was read says what the project is or where it begins. */
function isTelling(text: string, prose: boolean, angle: Angle): boolean {
  if (prose) return angle.kind !== 'entry' && (/^#{1,3} |^=+ /.test(text) || text.length > 40)
  if (angle.kind === 'outline') return new RegExp(OUTLINE).test(text)
  if (angle.kind === 'overview') return /"?(description|name|summary)"?\s*[:=]\s*"/.test(text)
  return /"(main|module|bin|exports|types|start|test|build)"\s*:/.test(text) || new RegExp(ENTRY).test(text)
}
