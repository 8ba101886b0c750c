import type { ConversationId } from '../../core/ids.ts'
import { isStopped } from '../../core/run-status.ts'
import type { StoredRun } from '../../core/run.ts'
import { belowCounts } from '../../core/status-line/child-counts.ts'
import { factsAround, familyTree } from '../../core/status-line/facts-around.ts'
import { leftWords, statusLine, unreadWords } from '../../core/status-line/status-line.ts'
import type { Reader } from '../../store/port.ts'
import { asksOf, holdsUnread, unreadOf } from './status-lines.ts'

const OPEN = ['queued', 'running', 'waiting', 'paused'] as const

/**
 * What works or is paused below a stopped run, and what is unread on a done or paused one: `1 report waits to be read,
 * 1 subagent paused`. For an abandoned run, that its process exited. null: nothing. Most conversations have nothing
 * left, and no more is read for them.
 */
export function leftBelow(
  reader: Reader,
  run: StoredRun | undefined,
  isDriven: (id: ConversationId) => boolean,
): string | null {
  if (!run) return null
  const { conversationId } = run
  const waits = holdsUnread(run) ? unreadWords(unreadOf(reader, run)) : null
  if (OPEN.every((status) => reader.count('runs', { conversationId, status }) === 0)) return waits
  const isHere = isDriven(conversationId)
  if (!isStopped(run.status)) return isHere ? null : abandonedWords(run)
  const runs = reader.find('runs', { where: { conversationId }, orderBy: 'id' })
  const { below = [] } = factsAround(run, familyTree(runs), (each) => asksOf(reader, each))
  return leftWords(waits, belowCounts(below, isHere).words)
}

function abandonedWords(run: StoredRun): string {
  const { state, detail } = statusLine({ ...run, queuePosition: null }, { isDriven: false })
  return `${state}: ${detail}`
}
