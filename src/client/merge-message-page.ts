import type { OffshootEvent } from '../core/events.ts'
import type { Message } from '../core/message.ts'
import type { MessagePage } from '../protocol/message.ts'
import { reduceCall } from './reduce-calls.ts'
import { reduceMessage } from './reduce-messages.ts'
import { later, settledParts, viewOfCall, type BranchView, type ViewState } from './view-state.ts'

/**
 * Merges a page of messages into its branch: the newest, or older ones in front. `since`: events since the request,
 * which may be newer than the page.
 */
export function withPage(
  state: ViewState,
  page: MessagePage,
  since: readonly OffshootEvent[] = [],
): ViewState {
  const branch = state.branches[page.branchId]
  if (!branch) return state
  const next = { ...state, branches: { ...state.branches, [branch.id]: joined(branch, page) } }
  return since
    .filter((event) => event.branchId === branch.id && event.sub === undefined && event.seq > page.seq)
    .reduce(again, next)
}

function joined(branch: BranchView, page: MessagePage): BranchView {
  const messages = page.messages.map(settledParts)
  const [first] = messages
  const known = branch.messages ?? []
  const older = first ? known.filter(({ position }) => position < first.position) : []
  const newer = known.filter(({ position }) => position > (messages.at(-1)?.position ?? -1))
  const isOlder =
    messages.length > 0 && older.length === 0 && newer[0]?.position === messages.at(-1)!.position + 1
  const touches = older.at(-1)?.position === (first?.position ?? 0) - 1
  const calls = Object.fromEntries(page.calls.map((call) => [call.id, viewOfCall(call)]))
  return {
    ...branch,
    messages: [...(touches ? older : []), ...messages, ...(isOlder ? newer : [])],
    before: touches ? branch.before : page.before,
    systemsBefore: touches ? branch.systemsBefore : (page.systemsBefore ?? 0),
    calls: { ...branch.calls, ...calls },
    lastAnswerId: later(branch.lastAnswerId, lastAnswer(messages)),
  }
}

function lastAnswer(messages: readonly Message[]): Message['id'] | null {
  return messages.findLast(({ role, state }) => role === 'assistant' && state !== 'streaming')?.id ?? null
}

/** Reapplies a known event to the messages and calls of the branch. */
function again(state: ViewState, event: OffshootEvent): ViewState {
  switch (event.type) {
    case 'message.appended':
    case 'part.completed':
    case 'message.completed':
      return reduceMessage(state, event)
    case 'tool.started':
    case 'tool.completed':
    case 'tool.failed':
    case 'tool.denied':
    case 'tool.skipped':
    case 'tool.unknown': {
      const { branches } = reduceCall(state, event)
      return { ...state, branches }
    }
    default:
      return state
  }
}
