import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lineAt, proseOf } from './prose.ts'

/** The page whose anchors are the numbered rules. */
export const INVARIANTS = 'docs/invariants.md'

const FOLDERS = 'docs|src|test|bench|scripts|web|examples'

/** Not inside of a longer path, of a pattern, of a placeholder or of an address. */
const BEFORE = String.raw`(?<![\w@./~$*{}<>:%-])`
const AFTER = String.raw`(?:#[\w-]+)?(?![\w*{<])`

/** A page by its name or path, or a path that begins with a folder of the repository. */
const PAGE = String.raw`(?:\.\.?\/)*\w[\w./-]*\.md\b`
const FILE = String.raw`(?:${FOLDERS})(?:\/\w(?:[\w.-]*\w)?)+\/?`
const PATH = new RegExp(`${BEFORE}(?:${PAGE}|${FILE})${AFTER}`, 'g')

/** Files that agents read in any project: their names cite no page. */
const READ_IN_PROJECTS = new Set(['AGENTS.md', 'CLAUDE.md', 'SKILL.md'])

const RULE = /(?<![\w./#-])[A-Z]\d{1,2}(?![\w./-])|§ ?\d*/g

/** Control characters, an engine, a key: they look like the number of a rule. */
const NAMES = new Set(['C0', 'C1', 'V8', 'F10'])

/** One sentence for each citation in a file that leads to nothing in the repository. */
export function findWrongCitations(root: string, name: string): string[] {
  const anchors = anchorsOf(root, INVARIANTS)
  return proseOf(name, readFileSync(join(root, name), 'utf8')).flatMap(({ text, line }) => {
    const said = (match: RegExpExecArray, what: string) =>
      `${name}:${line + lineAt(text, match.index) - 1} cites ${match[0]}, ${what}`
    const paths = [...text.matchAll(PATH)].filter(
      ([path]) => !READ_IN_PROJECTS.has(path) && !isThere(root, name, path),
    )
    const rules = [...text.matchAll(RULE)].filter(([rule]) => !NAMES.has(rule))
    const wrong = rules.filter(([rule]) => !anchors.has(rule.toLowerCase()))
    const bare = name.endsWith('.md') || /\binvariants?\b/i.test(text) ? [] : rules
    return [
      ...paths.map((match) => said(match, 'which is not in the repository')),
      ...wrong.map((match) => said(match, `which is no anchor of ${INVARIANTS}`)),
      ...bare
        .filter((match) => !wrong.includes(match))
        .map((match) => said(match, 'and does not say "invariant"')),
    ]
  })
}

function isThere(root: string, name: string, path: string): boolean {
  const [file, anchor] = path.split('#') as [string, string?]
  return ['', 'docs', dirname(name)]
    .map((folder) => join(folder, file))
    .some(
      (each) => existsSync(join(root, each)) && (anchor === undefined || anchorsOf(root, each).has(anchor)),
    )
}

/** The headings of a page as its links name them, and the ids that it sets. */
export function anchorsOf(root: string, page: string): ReadonlySet<string> {
  if (!existsSync(join(root, page))) return new Set()
  const text = readFileSync(join(root, page), 'utf8')
  const ids = [...text.matchAll(/<a id="([^"]+)"/g)].map(([, id]) => id!)
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => slug(title!))
  return new Set([...ids, ...headings])
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
