import type { BranchId, ConversationId } from '../../core/ids.ts'
import type { RunResult } from '../../runtime/views/run-result.ts'
import type { Reader } from '../../store/port.ts'
import { limitText } from './continue-text.ts'

type Stopped = Pick<RunResult, 'status' | 'reason' | 'endReason' | 'note'>

interface Place {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
}

/** The command that resumes a paused or waiting run, with the option that its limit needs. undefined: the run has ended. */
export function resumeLine(store: Reader, place: Place, result: Stopped): string | undefined {
  if (result.status !== 'paused' && result.status !== 'waiting') return undefined
  return `resume it: offshoot continue ${resumedId(store, place)}${limitText(result)}`
}

/** Of a conversation, `continue` resumes the main branch. */
function resumedId(store: Reader, { conversationId, branchId }: Place): string {
  return store.get('branches', branchId)?.kind === 'main' ? conversationId : branchId
}
