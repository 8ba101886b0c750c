import { joinedText } from '../core/report/answer-texts.ts'
import type { Report, TurnText } from './ports.ts'

/**
 * The report of a run that has concluded: its last text. If that continues cut answers, they are joined, and the note
 * says where each was cut. `said`: the texts of all turns.
 */
export function concludedReport(said: readonly TurnText[], conclusion: TurnText): Report {
  const { messageId, text } = conclusion
  const [first, ...more] = chainOf(said, conclusion)
  if (!first || more.length === 0) return { messageId, text, note: first ? afterWords(first) : null }
  const all = [first, ...more]
  return {
    messageId,
    partialFrom: first.messageId,
    text: joinedText(all),
    note: [seamsNote(all), afterWords(first)].filter((words) => words !== null).join('; '),
  }
}

/** Where to find the text before; null: there is none. */
export function afterWords({ after }: Pick<TurnText, 'after'>): string | null {
  return after === undefined ? null : `continues ${after}, which was cut and has the first part`
}

/** The conclusion, with the cut texts that it continues. */
function chainOf(said: readonly TurnText[], { messageId }: TurnText): readonly TurnText[] {
  const end = said.findIndex((each) => each.messageId === messageId)
  let start = end
  while (start > 0 && said[start]!.goesOn) start--
  return end < 0 ? [] : said.slice(start, end + 1)
}

function seamsNote(texts: readonly TurnText[]): string {
  let end = 0
  const seams = texts.slice(0, -1).map(({ turn, text }, i) => {
    end += text.length
    const whose = turn === null ? 'an earlier run' : `turn ${turn}`
    return `the answer of ${whose}${i === 0 ? ' was cut' : ''} after character ${end}`
  })
  return `${texts.length} answers joined: ${seams.join(', ')}`
}
