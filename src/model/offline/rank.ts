import MiniSearch from 'minisearch'
import type { Angle } from './angle.ts'
import type { Block, BlockLine } from './block.ts'
import { prior, type FileSurvey } from './files.ts'
import { baseName, fileKind, isProse } from './file-kind.ts'
import { identifiersIn, isVerbForm, stem, stemsIn, wordsIn } from './stem.ts'
import { isUse } from './use.ts'
import { namesTerm, speaksOf, spokenIn, weigh, type Term } from './term.ts'

/** A block with its score. */
export interface RankedBlock {
  readonly block: Block
  /** The line that matches the question best. */
  readonly best: BlockLine
  readonly score: number
  /** The fraction of the question that the block covers, 0 to 1. */
  readonly coverage: number
  /** For a question about uses: whether the line is one, and not a definition or a comment. */
  readonly isUse: boolean
  /** Whether it covers everything that the question names. */
  readonly isWhole: boolean
}

const BOOST = { name: 2, owners: 0.7, path: 0.7, text: 1, comments: 0.5 }

/** Blocks that match an angle's terms, best first: BM25 over names, texts and paths. */
export function rankBlocks(
  blocks: readonly Block[],
  angle: Angle,
  { terms, needed }: FileSurvey,
): RankedBlock[] {
  const weights = weightsOf(terms)
  const found = indexOf(blocks).search([...weights.keys()].join(' '), {
    boost: BOOST,
    boostTerm: (word) => weights.get(word) ?? 0,
    tokenize: (text) => text.split(' '),
    processTerm: (word) => word,
  })
  const ranked = found.map(({ id, score, match }) => {
    const block = blocks[id as number]!
    const matched = new Set(Object.keys(match))
    const uses =
      angle.kind === 'usage' ? block.lines.filter((line, i, all) => isUse(line, all[i + 1], terms)) : []
    const best = bestLine(uses.length > 0 ? { ...block, lines: uses } : block, terms, angle)
    const coverage = weigh(terms.filter((term) => speaksOf(matched, term))) / weigh(terms)
    const fit = fitness(block, best, angle) * prior(block.path, angle, block.isTest)
    const isWhole = saysAll(block, needed)
    return { block, best, coverage, isUse: uses.length > 0, isWhole, score: score * (0.2 + coverage) * fit }
  })
  return ranked.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score)
}

/** Lines that are about one thing. */
const NEAR = 12

/** Whether a few lines of a block, with its name and place, name all of these terms, of which one has to be a thing. */
function saysAll({ path, head, owners, lines }: Block, needed: readonly Term[]): boolean {
  if (!needed.some(({ thing }) => thing)) return false
  const frame = stemsIn([path, head?.text ?? '', ...owners].join(' '))
  const said = lines.flatMap(({ text, kind }) => (kind.type === 'import' ? [] : [stemsIn(text)]))
  return said.some((_, i) => {
    const words = new Set([...frame, ...said.slice(i, i + NEAR).flat()])
    return needed.every((term) => namesTerm(words, term))
  })
}

function indexOf(blocks: readonly Block[]): MiniSearch {
  const index = new MiniSearch({ fields: Object.keys(BOOST), tokenize: wordsIn, processTerm: (word) => word })
  for (const [id, { path, head, owners, lines }] of blocks.entries())
    index.add({ id, name: head?.kind.name ?? '', owners: owners.join(' '), path, ...textsOf(lines) })
  return index
}

const STRING = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/g
const SENTENCE = 30

/** A block's code, and its prose: comments, and sentences that it prints. */
function textsOf(lines: readonly BlockLine[]): { readonly text: string; readonly comments: string } {
  const said: string[] = []
  const code = lines.flatMap(({ text, kind }) => {
    const line = text.slice(0, 300)
    return kind.type === 'comment' ? (said.push(line), []) : [line]
  })
  const text = code
    .join('\n')
    .replace(STRING, (string) => (string.length < SENTENCE ? string : (said.push(string), '')))
  return { text, comments: said.join('\n') }
}

/** Weight of a synonym relative to the term. */
const LIKE = 0.5

/** Search terms, and the weight of a match. */
function weightsOf(terms: readonly Term[]): Map<string, number> {
  const weights = new Map<string, number>()
  for (const { stems, others, exact, weight } of terms) {
    for (const other of others) weights.set(other, Math.max(weights.get(other) ?? 0, weight * LIKE))
    for (const own of stems) weights.set(own, Math.max(weights.get(own) ?? 0, weight / stems.length))
    for (const whole of identifiersIn(exact ?? '')) weights.set(whole, weight)
  }
  return weights
}

/** A definition that is named as the question may fail anywhere. */
const MAX_APART = 60
/** How much more a block counts in a file that is named as the question. */
const NAMED = 1

function fitness(block: Block, best: BlockLine, { kind, outcome, terms }: Angle): number {
  const naming = block.head ? spokenIn(block.head.kind.name, terms) : []
  const near = naming.length > 0 ? MAX_APART : 3
  const isFailing =
    outcome && block.lines.some((each) => Math.abs(each.line - best.line) <= near && fails(each))
  const does = naming.some(({ word, telling }) => telling && isVerbForm(word.toLowerCase()))
  const named = 1 + NAMED * (weigh(spokenIn(baseName(block.path), terms)) / weigh(terms))
  return formOf(block, kind, terms) * named * (isFailing ? 1.6 : 1) * (does ? 1.3 : 1)
}

/** Prefers definitions to loose statements, behaviour to declarations, and tests if they are asked for. */
function formOf({ path, head, lines, isTest }: Block, kind: Angle['kind'], terms: readonly Term[]): number {
  if (lines.every((line) => line.kind.type === 'import' || line.kind.type === 'trivial')) return 0.1
  if (kind === 'tests') return !isTest ? 0 : head?.kind.type === 'test' ? 1.5 : head ? 0.7 : 0.4
  if (isTest && fileKind(path) !== 'test') return 0.15
  if (isProse(path)) return 1
  if (!head) return 0.5
  const isNamed = terms.some(({ exact }) => exact !== null && head.kind.name.includes(exact))
  if (kind === 'usage') return isNamed ? 0.1 : 1
  const size = lines.filter(({ kind: { type } }) => type === 'code' || type === 'definition').length
  const { text } = textsOf(lines)
  const shape = TYPE.test(head.text) && !isNamed ? 0.45 : 1
  const asksOptions = terms.some(({ stems }) => OPTION_STEMS.includes(stems[0]!))
  const declares = !asksOptions && (text.match(OPTION)?.length ?? 0) > 1 ? 0.4 : 1
  const sets = !isNamed && onlySets(lines, head) ? 0.4 : 1
  return shape * declares * sets * (size >= 5 ? 1 : size >= 3 ? 0.8 : 0.6) * (lines.includes(head) ? 1 : 0.8)
}

/** A definition that only keeps a value: `allow(yes) { this.allowed = yes; return this }`. */
function onlySets(lines: readonly BlockLine[], head: BlockLine): boolean {
  const body = lines.filter(
    ({ line, kind }) => line > head.line && (kind.type === 'code' || kind.type === 'definition'),
  )
  return (
    body.length > 0 &&
    body.every(({ text }) => SETS.test(text)) &&
    body.some(({ text }) => text.includes('='))
  )
}

const SETS = /^\s*(?:(?:this|self)\.[\w$.]+\s*=(?!=)[^()]*|return (?:this|self));?$/

/** Where a command line declares its options, every word of the program is said once. */
const OPTION =
  /\bArg::new\(|\badd_(?:argument|option)\(|\.option\(|#\[(?:arg|clap|structopt)\b|\bflags?\(\)\.|\bflags?\.\w+(?:Var|P)?\(/gi
const OPTION_STEMS = ['option', 'argument', 'flag', 'parameter'].map(stem)

const TYPE =
  /^\s*((export|default|public|private|pub(\([^)]*\))?|abstract|final|declare|typedef|type) )*(class|interface|enum|struct|union|trait|record|type) |^type \w+ |^#\s*define/

/** How much the name of a definition says of the case in which it fails, relative to the lines above the failure. */
const NAME = 0.9

/** For a question about what happens, a failing line counts with its condition: the lines above it, or the name of its definition. */
function bestLine({ head, lines }: Block, terms: readonly Term[], { outcome }: Angle): BlockLine {
  let best = head && lines.includes(head) ? head : lines[0]!
  let most = 0
  for (const [at, line] of lines.entries()) {
    const condition = outcome && fails(line) ? lines.slice(Math.max(0, at - 3), at) : []
    const named = condition.length > 0 && head ? NAME * lineScore(head, terms) : 0
    const failing = Math.max(0, ...condition.map((above) => 0.5 + Math.max(named, lineScore(above, terms))))
    const score = lineScore(line, terms) + failing
    if (score > most) [best, most] = [line, score]
  }
  return best
}

function lineScore({ text, kind }: BlockLine, terms: readonly Term[]): number {
  return weigh(spokenIn(text, terms)) * (kind.type === 'comment' || kind.type === 'import' ? 0.6 : 1)
}

function fails({ text, kind }: BlockLine): boolean {
  return kind.type !== 'comment' && FAILS.test(text)
}

/** Lines that throw, raise or return an error, in many languages. */
const FAILS =
  /\b(throw|raise|panic!?|abort|bail!|ensure!|die|fatal\w*|reject|unreachable!|assert\w*!?|exit|longjmp)\b|\bErr\(|\berrors?\.New\b|\bErrorf\b|\bnew \w*(Error|Exception)\b|\breturn\b.*(\berr\b|error|invalid|-1\b)|\b\w*error\w*\s*\(|\bfail\w*\(/i
