import type { Branch } from '../../core/conversation.ts'
import { callFactsIn } from '../../runtime/views/call-facts.ts'
import type { Reader } from '../../store/port.ts'
import type { TranscriptFacts } from './transcript-lines.ts'

/** What the store knows around the messages of a branch. `isDriven`: whether a living process drives its conversation. */
export function transcriptFactsIn(
  store: Reader,
  { id: branchId, agent, kind }: Branch,
  isDriven: boolean,
): TranscriptFacts {
  const first = store
    .find('messages', { where: { branchId }, orderBy: 'position' })
    .find(({ role }) => role !== 'system')
  return {
    agent,
    taskId: kind === 'subagent' ? first?.id : undefined,
    factsOf: callFactsIn(store),
    isDriven,
  }
}
