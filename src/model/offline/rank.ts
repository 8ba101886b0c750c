import MiniSearch from 'minisearch'
import type { Angle } from './angle.ts'
import type { Block, BlockLine } from './block.ts'
import { prior, type FileSurvey } from './files.ts'
import { baseName, fileKind, isProse } from './file-kind.ts'
import { stemsIn } from './stem.ts'
import { isUse } from './use.ts'
import { namesTerm, speaksOf, spokenIn, weigh, type Term } from './term.ts'

/** A block with its score. */
export interface RankedBlock {
  readonly block: Block
  /** The line that matches the question best. */
  readonly best: BlockLine
  readonly score: number
  /** The fraction of the question that a few of its lines cover, 0 to 1. */
  readonly coverage: number
  /** For a question about uses: whether the line is one, and not a definition or a comment. */
  readonly isUse: boolean
  /** Whether a few lines of its code and its name cover everything that the question names. */
  readonly isWhole: boolean
}

const BOOST = { name: 2, path: 0.7, text: 1 }

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
  const isTelling =
    needed.length > (angle.kind === 'implementation' ? 1 : 0) && needed.some(({ thing }) => thing)
  const ranked = found.map(({ id, score }) => {
    const block = blocks[id as number]!
    const uses =
      angle.kind === 'usage' ? block.lines.filter((line, i, all) => isUse(line, all[i + 1], terms)) : []
    const searched = uses.length > 0 ? { ...block, lines: uses } : block
    const { best, words, coverage, fit } = passageOf(searched, angle, terms)
    const isWhole = isTelling && needed.every((term) => namesTerm(words, term))
    const worth = coverage ** 2 * fit * fitness(block, angle, terms) * prior(block.path, angle, block.isTest)
    return { block, best, coverage, isUse: uses.length > 0, isWhole, score: score * worth }
  })
  return ranked.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score)
}

function indexOf(blocks: readonly Block[]): MiniSearch {
  const index = new MiniSearch({ fields: Object.keys(BOOST), tokenize: stemsIn, processTerm: (word) => word })
  for (const [id, { path, head, lines }] of blocks.entries()) {
    const text = lines.map((line) => line.text.slice(0, 300)).join('\n')
    index.add({ id, name: head?.kind.name ?? '', path, text })
  }
  return index
}

/** Weight of a synonym relative to the term. */
const LIKE = 0.5

/** Search terms, and the weight of a match. */
function weightsOf(terms: readonly Term[]): Map<string, number> {
  const weights = new Map<string, number>()
  for (const { stems, others, weight } of terms) {
    for (const other of others) weights.set(other, Math.max(weights.get(other) ?? 0, weight * LIKE))
    for (const own of stems) weights.set(own, Math.max(weights.get(own) ?? 0, weight / stems.length))
  }
  return weights
}

/** Lines on each side that are about the same thing. */
const NEAR = 6
/** Weight of a comment inside a definition. */
const COMMENT = 0.5
/** Weight of a comment above one. */
const DESCRIPTION = 0.9
/** Weight of a line that does not fail, where a question asks what happens. */
const NO_FAILURE = 0.25

/** The few lines of a block that say most of a question, with the name and place of the block. */
function passageOf({ head, owners, path, lines }: Block, { outcome }: Angle, terms: readonly Term[]) {
  const frame = new Set(stemsIn([head?.kind.name ?? '', path, ...owners].join(' ')))
  const start = head ? lines.indexOf(head) : -1
  const all = weigh(terms)
  const said = lines.map(({ text, kind }, i) => {
    const words = new Set(kind.type === 'import' ? [] : stemsIn(text))
    const worth = kind.type === 'comment' ? (i > start ? COMMENT : DESCRIPTION) : 1
    const spoken = terms.filter((term) => speaksOf(words, term))
    return { words, worth, spoken, share: (worth * weigh(spoken)) / all }
  })
  let passage = { best: lines[0]!, words: frame, coverage: 0, fit: 1, score: -1 }
  for (const [i, best] of lines.entries()) {
    const near = said.slice(Math.max(0, i - NEAR), i + NEAR + 1)
    const worthOf = (term: Term) =>
      speaksOf(frame, term)
        ? 1
        : Math.max(...near.map(({ spoken, worth }) => (spoken.includes(term) ? worth : 0)))
    const coverage = terms.reduce((sum, term) => sum + term.weight * worthOf(term), 0) / all
    const fit = outcome && !fails(best) ? NO_FAILURE : 1
    const density = near.reduce((sum, { share }) => sum + share, 0) / near.length
    const score = coverage * fit + (said[i]!.share + density) / 2 + (best === head ? 0.05 : 0)
    if (score <= passage.score) continue
    const words = new Set([...frame, ...near.flatMap((line) => (line.worth < 1 ? [] : [...line.words]))])
    passage = { best, words, coverage, fit, score }
  }
  return passage
}

/** Prefers definitions to loose statements, behaviour to declarations, and tests if they are asked for. */
function fitness({ path, head, lines, isTest }: Block, { kind }: Angle, terms: readonly Term[]): number {
  if (lines.every((line) => line.kind.type === 'import' || line.kind.type === 'trivial')) return 0.1
  if (kind === 'tests') return !isTest ? 0 : head?.kind.type === 'test' ? 1.5 : head ? 0.7 : 0.4
  if (isTest && fileKind(path) !== 'test') return 0.15
  const named = 1 + weigh(spokenIn(baseName(path), terms)) / weigh(terms) / 2
  if (!head || isProse(path)) return named
  const isNamed = terms.some(({ exact }) => exact !== null && head.kind.name.includes(exact))
  if (kind === 'usage') return isNamed ? 0.1 : named
  const size = lines.filter(({ kind: { type } }) => type === 'code' || type === 'definition').length
  const shape = isNamed ? 1 : TYPE.test(head.text) ? 0.45 : VALUE.test(head.text) ? 0.5 : 1
  const declares = lines.filter((line) => OPTION.test(line.text)).length > 1 ? 0.4 : 1
  return named * shape * declares * Math.min(1, 0.4 + size / 8)
}

/** Where a command line declares its options, every word of the program occurs once. */
const OPTION =
  /\bArg::new\(|\badd_(?:argument|option)\(|\.option\(|#\[(?:arg|clap|structopt)\b|\bflags?\(\)\.|\bflags?\.\w+(?:Var|P)?\(/i

const TYPE =
  /^\s*((export|default|public|private|pub(\([^)]*\))?|abstract|final|declare|typedef|type) )*(class|interface|enum|struct|union|trait|record|type) |^type \w+ |^#\s*define/
/** A variable that holds no function. */
const VALUE = /^\s*(export )?(const|let|var) (?![^=]*=\s*(async )?(function|\(|\w+ =>|class))/

function fails({ text, kind }: BlockLine): boolean {
  return kind.type !== 'comment' && FAILS.test(text)
}

/** Lines that throw, raise or return an error, in many languages. */
const FAILS =
  /\b(throw|raise|panic!?|abort|bail!|ensure!|die|fatal\w*|reject|unreachable!|assert\w*!?|exit|longjmp)\b|\bErr\(|\berrors?\.New\b|\bErrorf\b|\bnew \w*(Error|Exception)\b|\breturn\b.*(\berr\b|error|invalid|-1\b)|\b\w*error\w*\s*\(|\bfail\w*\(/i
