import { inSentence, type Angle } from './angle.ts'
import { DEFINITION, type Findings } from './answer.ts'
import { MAX_BLOCK_LINES, blockName, blocksOf, type Block, type BlockLine } from './block.ts'
import { cite, type Citation, type Finding } from './citation.ts'
import { readFiles, seenLines } from './evidence.ts'
import { surveyOf } from './files.ts'
import { isProse, moduleKey } from './file-kind.ts'
import { rankOverview } from './overview.ts'
import type { PastCall } from './prompt-transcript.ts'
import { rankBlocks, type RankedBlock } from './rank.ts'
import type { Term } from './term.ts'
import { definesAll } from './use.ts'

const ASKED = 6
const UNASKED = 3
/** A block loses weight for each block already chosen from its file. */
const SAME_FILE = 0.85
/** After a few blocks, those below this fraction of the best score are left out. */
const TAIL = 0.25
const FEW = 3
/** An unrequested angle is shown only if it covers this fraction of the question. */
const FITTING = 0.6

export function findingsOf(angle: Angle, calls: readonly PastCall[]): Findings {
  const { read } = readFiles(calls)
  const seen = seenLines(calls.filter(({ tool }) => tool === 'read'))
  if (angle.terms.length === 0)
    return { findings: rankOverview(angle, calls).slice(0, ASKED), missing: [], astray: false, sure: true }
  const survey = surveyOf(angle, calls)
  const blocks = blocksOf(seen, seenLines(calls)).filter(
    ({ path }) => read.has(path) && isInScope(path, angle),
  )
  const ranked = rankBlocks(blocks, angle, survey)
  const fitting = angle.asked
    ? ofProgram(ranked, angle, survey.terms)
    : ranked.filter(({ coverage }) => coverage >= FITTING)
  const chosen = choose(fitting, angle.asked ? ASKED : UNASKED)
  const missing = survey.missing.map(({ word }) => inSentence(word))
  return {
    findings: chosen.flatMap(
      (each, i) =>
        findingOf(each, angle, angle.asked && i === 0 ? seen.get(each.block.path) : undefined) ?? [],
    ),
    missing,
    astray: survey.missing.some(({ thing }) => thing),
    sure: missing.length === 0 && isClear(fitting),
  }
}

/** How much better than any other definition a sure place is. */
const LEAD = 1.2

function isClear([first, ...others]: readonly RankedBlock[]): boolean {
  if (!first?.isWhole) return false
  const rival = others.find(
    ({ block: { path, head } }) => path !== first.block.path || head !== first.block.head,
  )
  return !rival || first.score >= rival.score * LEAD
}

/** Tests and prose are listed separately, unless there is nothing else; where nothing is used, its definition is left. */
function ofProgram(
  ranked: readonly RankedBlock[],
  { kind }: Angle,
  terms: readonly Term[],
): readonly RankedBlock[] {
  const code = ranked.filter(({ block }) => !isProse(block.path))
  if (kind === 'usage' && code.length > 0) {
    const uses = code.filter((each) => each.isUse)
    return uses.length > 0
      ? uses
      : code.filter(({ block: { head } }) => head && definesAll(head.kind.name, terms))
  }
  const others = ranked.filter(({ block }) => !block.isTest && !isProse(block.path))
  return kind === 'implementation' && others.length > 0 ? others : ranked
}

function isInScope(path: string, { scope }: Angle): boolean {
  return scope === null || path === scope || path.startsWith(`${scope}/`)
}

/** Spread over files, without copies. */
function choose(ranked: readonly RankedBlock[], max: number): RankedBlock[] {
  const chosen: RankedBlock[] = []
  let pool = ranked.slice(0, 100)
  while (chosen.length < max && pool.length > 0) {
    const worth = (each: RankedBlock) =>
      each.score * SAME_FILE ** chosen.filter(({ block }) => block.path === each.block.path).length
    const next = pool.reduce((best, each) => (worth(each) > worth(best) ? each : best))
    if (chosen.length >= FEW && next.score < ranked[0]!.score * TAIL) break
    pool = pool.filter((each) => each !== next && !isCopy(each, next))
    chosen.push(next)
  }
  return chosen
}

/** The same module in another format, the same words elsewhere, or more of the same definition. */
function isCopy({ block, best }: RankedBlock, other: RankedBlock): boolean {
  if (best.text.trim() === other.best.text.trim()) return true
  if (block.path !== other.block.path) return moduleKey(block.path) === moduleKey(other.block.path)
  return block.head !== null && block.head === other.block.head
}

/** The line that names the block; for events, uses and texts, the matching line. The next one, if it is too short to quote. */
function findingOf(
  { block, best, isUse }: RankedBlock,
  angle: Angle,
  file?: ReadonlyMap<number, string>,
): Finding | null {
  const inside = angle.outcome || isUse || isProse(block.path)
  const { head } = block
  const isShort = block.lines.length < MAX_BLOCK_LINES
  const place = !inside && isShort && head && block.lines.includes(head) ? head : best
  const near = block.lines.toSorted((a, b) => Math.abs(a.line - best.line) - Math.abs(b.line - best.line))
  const citation = [place, ...near].reduce<Citation | null>(
    (found, line) => found ?? cite({ path: block.path, ...line }),
    null,
  )
  if (!citation) return null
  const shown = file && !isProse(block.path) ? around(best, file) : []
  const isAside = angle.kind === 'usage' && !isUse && !isProse(block.path)
  const note = isAside ? `${DEFINITION} ${blockName(block)}` : noteOf(block, citation.line)
  return { ...citation, note, shown }
}

function noteOf(block: Block, line: number): string {
  if (block.head?.kind.type === 'test') return 'a test'
  const name = blockName(block)
  if (name === '') return ''
  return block.head?.line === line ? `defines ${name}` : `in ${name}`
}

const BEFORE = 1
const AFTER = 3

/** The lines around a place, without blank ones at the ends. */
function around(best: BlockLine, lines: ReadonlyMap<number, string>): { line: number; text: string }[] {
  const shown = []
  for (let line = best.line - BEFORE; line <= best.line + AFTER; line++) {
    const text = lines.get(line)
    if (text !== undefined) shown.push({ line, text })
  }
  const isBlank = ({ text }: { text: string }) => text.trim() === ''
  while (shown.length > 0 && isBlank(shown[0]!)) shown.shift()
  while (shown.length > 0 && isBlank(shown.at(-1)!)) shown.pop()
  return shown
}
