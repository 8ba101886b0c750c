import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lineAt, proseOf, stringsOf } from './prose.ts'

/** The page whose anchors are the numbered rules. */
export const INVARIANTS = 'docs/invariants.md'

const FOLDERS = String.raw`docs|src|test|bench|scripts|web|examples|design|\.ci`

/** Not inside of a longer path, of a pattern, of a placeholder or of an address. */
const BEFORE = String.raw`(?<![\w@./~$*{}<>:%-])`
const AFTER = String.raw`(?:#[\w-]+)?(?![\w*{<])`

/** A page by its name or path, or a path that begins with a folder of the repository. */
const PAGE = String.raw`(?:\.\.?\/)*\w[\w./-]*\.(?:md|MD)\b`
const FILE = String.raw`(?:${FOLDERS})(?:\/\w(?:[\w.-]*\w)?)+\/?`
/** A source by its name, or by the end of its path. */
const SOURCE = new RegExp(
  String.raw`${BEFORE}(?:[\w-]+\/)*\w[\w-]*(?:\.[\w-]+)*\.(?:tsx?|mjs|css|json|sql|txt)${AFTER}`,
  'g',
)
const PATH = new RegExp(`${BEFORE}(?:${PAGE}|${FILE})${AFTER}`, 'g')

/** Files that agents read in any project: their names cite no page. */
const READ_IN_PROJECTS = new Set(['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'SKILL.md'])

/** What the program and its users write, and what other programs read. */
const WRITTEN = new Set([
  'trust.json',
  'server.json',
  'sessions.json',
  'opencode.json',
  'rules.json',
  'out.txt',
])

/** Files of somebody else's project, what a build writes, and names to be filled in. */
const isExample = (path: string) =>
  /(?:^|\/)(?:[a-z]|[A-Z]+)\.[\w.]+$|^dist\//.test(path) || path === 'lib/auth.ts' || WRITTEN.has(path)

/** Numbers of what is elsewhere, or of a decision. */
const ISSUE = /\b(?:issues?|rules?) #?\d+\b/gi
const DECISION = /\b(?:decisions?|ADRs?) \d+(?:(?:,? and |,? or | to |, ?|[-–/])\d+)*\b/gi

/** The number of an invariant, or several with `/` or `-` between them. */
const RULES = /(?<![\w./#+-])[A-Z]\d{1,3}(?:[/–-][A-Z]\d{1,3})*(?![\w-]|[./]\w)|§ ?\d*/g
const RULE = /[A-Z]\d{1,3}|§ ?\d*/g

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
    const rules = matchesIn(text, RULES, RULE).filter(([rule]) => !NAMES.has(rule))
    const sources = [...text.matchAll(SOURCE)].filter(
      ({ 0: path, index }) =>
        !isExample(path) &&
        !isThere(root, name, path) &&
        !isSource(root, path) &&
        paths.every((other) => other.index !== index),
    )
    const decisions = decisionsIn(text).filter(([, number]) => !isDecision(root, number!))
    const wrong = rules.filter(([rule]) => !anchors.has(rule.toLowerCase()))
    const bare = name.endsWith('.md') || /\binvariants?\b/i.test(text) ? [] : rules
    return [
      ...[...paths, ...sources, ...text.matchAll(ISSUE), ...decisions].map((match) =>
        said(match, 'which is not in the repository'),
      ),
      ...wrong.map((match) => said(match, `which is no anchor of ${INVARIANTS}`)),
      ...bare
        .filter((match) => !wrong.includes(match))
        .map((match) => said(match, 'and does not say "invariant"')),
    ]
  })
}

/** A page that the program itself names to people: `docs/store.md#errors`. */
const SAID_PAGE = new RegExp(String.raw`${BEFORE}docs\/[\w./-]+\.md${AFTER}`, 'g')

/** One sentence for each page that a string of a source names and that is not there. */
export function findWrongPagesInStrings(root: string, name: string): string[] {
  return stringsOf(name, readFileSync(join(root, name), 'utf8')).flatMap(({ text, line }) =>
    [...text.matchAll(SAID_PAGE)]
      .filter(([page]) => !isThere(root, name, page))
      .map(([page]) => `${name}:${line} names ${page}, which is not in the repository`),
  )
}

/** What `inner` finds in what `outer` finds, each at its place in the text. */
function matchesIn(text: string, outer: RegExp, inner: RegExp): RegExpExecArray[] {
  return [...text.matchAll(outer)].flatMap((match) =>
    [...match[0].matchAll(inner)].map((each) => {
      each.index += match.index
      return each
    }),
  )
}

/** `decisions 1 and 9` is `decision 1` and `decision 9`. */
function decisionsIn(text: string): RegExpExecArray[] {
  return matchesIn(text, DECISION, /(\d+)/g).map((each) => {
    each[0] = `decision ${each[1]}`
    return each
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

function isSource(root: string, path: string): boolean {
  return namesIn(root).some((name) => name === path || name.endsWith(`/${path}`))
}

function isDecision(root: string, number: string): boolean {
  return namesIn(root).some((name) => name.startsWith(`docs/decisions/${number.padStart(4, '0')}-`))
}

const names = new Map<string, readonly string[]>()

/** The sources and decisions of a repository, read once. */
function namesIn(root: string): readonly string[] {
  const known = names.get(root)
  if (known) return known
  const pattern =
    '{*,{src,web,test,bench,scripts,examples}/**/*,docs/decisions/*}.{ts,tsx,mjs,md,css,json,sql,txt}'
  const found = globSync(pattern, { cwd: root, exclude: (name) => name.endsWith('node_modules') })
  names.set(root, found)
  return found
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
