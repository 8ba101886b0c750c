import type { BranchId, ConversationId } from '../../core/ids.ts'
import type { RunResult } from '../../runtime/views/run-result.ts'
import type { Reader } from '../../store/port.ts'

type Stopped = Pick<RunResult, 'status' | 'reason' | 'endReason' | 'note'>

interface Place {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
}

/** The command that resumes a paused or waiting run, with the option that its limit needs. undefined: the run has ended. */
export function resumeLine(store: Reader, place: Place, result: Stopped): string | undefined {
  if (result.status !== 'paused' && result.status !== 'waiting') return undefined
  return `resume it: offshoot continue ${resumedId(store, place)}${moreOf(result)}`
}

/** Of a conversation, `continue` resumes the main branch. */
function resumedId(store: Reader, { conversationId, branchId }: Place): string {
  return store.get('branches', branchId)?.kind === 'main' ? conversationId : branchId
}

function moreOf({ endReason, note }: Stopped): string {
  if (endReason === 'max_turns') return ' (--max-turns N sets how many more turns it gets)'
  if (endReason !== 'budget') return ''
  // the note of a budget pause holds the figures, in dollars or in tokens
  if (note?.includes('$')) return ' --budget-usd N, with N above the budget so far'
  return ', after you have raised limits.maxTokens in the configuration'
}
