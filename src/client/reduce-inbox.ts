import type { EventOf } from '../core/events.ts'
import type { InboxItem } from '../protocol/inbox.ts'
import type { ViewState } from './view-state.ts'

type InboxEvent = EventOf<
  'inbox.added' | 'inbox.updated' | 'inbox.delivered' | 'inbox.withdrawn' | 'inbox.empty'
>

/** Waiting items in reading order: messages of people first, then results and notes. */
export function reduceInbox(state: ViewState, event: InboxEvent): ViewState {
  if (event.type === 'inbox.empty')
    return { ...state, inbox: state.inbox.filter(({ branchId }) => branchId !== event.branchId) }
  const others = state.inbox.filter(({ id }) => id !== event.itemId)
  if (event.type === 'inbox.delivered' || event.type === 'inbox.withdrawn') return { ...state, inbox: others }
  const known = state.inbox.find(({ id }) => id === event.itemId)
  return { ...state, inbox: inReadingOrder([...others, itemOf(event, known)]) }
}

function itemOf(event: EventOf<'inbox.added' | 'inbox.updated'>, known: InboxItem | undefined): InboxItem {
  const { itemId: id, conversationId, kind, mode, at } = event
  return {
    id,
    conversationId,
    branchId: event.branchId!,
    kind,
    mode,
    text: event.text ?? known?.text ?? '',
    author: (event.author as InboxItem['author']) ?? known?.author ?? null,
    report: (event.report as unknown as InboxItem['report']) ?? known?.report ?? null,
    fromRunId: event.fromRunId ?? known?.fromRunId ?? null,
    createdAt: known?.createdAt ?? at,
  }
}

function inReadingOrder(items: readonly InboxItem[]): readonly InboxItem[] {
  const byAge = items.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return [...byAge.filter(isFromPerson), ...byAge.filter((item) => !isFromPerson(item))]
}

function isFromPerson({ kind }: InboxItem): boolean {
  return kind === 'user'
}
