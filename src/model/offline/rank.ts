import MiniSearch from 'minisearch'
import type { Angle } from './angle.ts'
import type { Block, BlockLine } from './block.ts'
import { prior, type FileSurvey } from './files.ts'
import { fileKind, isProse } from './file-kind.ts'
import { identifiersIn, wordsIn } from './stem.ts'
import { speaksOf, spokenIn, weigh, type Term } from './term.ts'

/** A block with its score. */
export interface RankedBlock {
  readonly block: Block
  /** The line that matches the question best. */
  readonly best: BlockLine
  readonly score: number
  /** The fraction of the question that the block covers, 0 to 1. */
  readonly coverage: number
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
    const best = bestLine(block, terms, angle)
    const coverage = weigh(terms.filter((term) => speaksOf(matched, term))) / weigh(terms)
    const fit = fitness(block, best, angle) * prior(block.path, angle, block.isTest)
    const isWhole = needed.every((term) => speaksOf(matched, term))
    return { block, best, coverage, isWhole, score: score * (0.2 + coverage) * fit }
  })
  return ranked.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score)
}

function indexOf(blocks: readonly Block[]): MiniSearch {
  const index = new MiniSearch({ fields: Object.keys(BOOST), tokenize: wordsIn, processTerm: (word) => word })
  const text = (lines: readonly BlockLine[]) => lines.map((line) => line.text.slice(0, 300)).join('\n')
  for (const [id, { path, head, owners, lines }] of blocks.entries()) {
    const { comment = [], code = [] } = Object.groupBy(lines, ({ kind }) =>
      kind.type === 'comment' ? 'comment' : 'code',
    )
    const name = head?.kind.name ?? ''
    index.add({ id, name, owners: owners.join(' '), path, text: text(code), comments: text(comment) })
  }
  return index
}

/** Search terms, and the weight of a match. */
function weightsOf(terms: readonly Term[]): Map<string, number> {
  const weights = new Map<string, number>()
  for (const { stems, exact, weight } of terms) {
    for (const own of stems) weights.set(own, Math.max(weights.get(own) ?? 0, weight / stems.length))
    for (const whole of identifiersIn(exact ?? '')) weights.set(whole, weight)
  }
  return weights
}

function fitness(block: Block, best: BlockLine, { kind, echo, outcome, terms }: Angle): number {
  const repeats = echo !== '' && block.lines.some(({ text }) => text.toLowerCase().includes(echo))
  const fails =
    outcome && block.lines.some((line) => Math.abs(line.line - best.line) <= 3 && FAILS.test(line.text))
  return formOf(block, kind, terms) * (repeats ? 0.1 : 1) * (fails ? 1.6 : 1)
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
  const shape = TYPE.test(head.text) && !isNamed ? 0.45 : 1
  return shape * (size >= 3 ? 1 : 0.7) * (lines.includes(head) ? 1 : 0.8)
}

const TYPE =
  /^\s*((export|default|public|private|pub(\([^)]*\))?|abstract|final|declare|typedef|type) )*(class|interface|enum|struct|union|trait|record|type) |^type \w+ |^#\s*define/

/** For a question about what happens, a failing line counts with its condition: the lines above it. */
function bestLine({ head, lines }: Block, terms: readonly Term[], { outcome }: Angle): BlockLine {
  let best = head && lines.includes(head) ? head : lines[0]!
  let most = 0
  for (const [at, line] of lines.entries()) {
    const condition = outcome && FAILS.test(line.text) ? lines.slice(Math.max(0, at - 3), at) : []
    const fails = Math.max(0, ...condition.map((above) => 0.5 + lineScore(above, terms)))
    const score = lineScore(line, terms) + fails
    if (score > most) [best, most] = [line, score]
  }
  return best
}

function lineScore({ text, kind }: BlockLine, terms: readonly Term[]): number {
  return weigh(spokenIn(text, terms)) * (kind.type === 'comment' || kind.type === 'import' ? 0.6 : 1)
}

/** Lines that throw, raise or return an error, in many languages. */
const FAILS =
  /\b(throw|raise|panic!?|abort|bail!|ensure!|die|fatal\w*|reject|unreachable!|assert\w*!?|exit|longjmp)\b|\bErr\(|\berrors?\.New\b|\bErrorf\b|\bnew \w*(Error|Exception)\b|\breturn\b.*(\berr\b|error|invalid|-1\b)|\b\w*error\w*\s*\(|\bfail\w*\(/i
