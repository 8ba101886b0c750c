import type { ConversationView } from 'offshoot/client'
import { branchesOf } from './path-messages.ts'
import { shownTranscript } from './shown-transcript.ts'

/** The server's maximum per page: all messages are wanted. */
const PAGE = 200

/** Loads all earlier messages and shows the first. */
export async function toFirstMessage(view: ConversationView, branchId: string): Promise<void> {
  const transcript = shownTranscript()
  // If the reader has left meanwhile, neither scrolls nor reports an error.
  const isLeft = () => transcript !== shownTranscript()
  try {
    while (!isLeft() && (await loadMissing(view, branchId))) continue
  } catch (error) {
    if (!isLeft()) throw error
  }
  // Drawn after two frames.
  requestAnimationFrame(() => requestAnimationFrame(() => !isLeft() && transcript?.toStart()))
}

export function toLastMessage(): void {
  shownTranscript()?.toEnd()
}

/** Loads one page; false: everything is loaded. */
async function loadMissing(view: ConversationView, branchId: string): Promise<boolean> {
  const path = view.state ? branchesOf(view.state, branchId) : []
  const unread = path.find(({ messages }) => messages === null)
  const cut = path.findLast(({ before }) => before !== null)
  if (unread) await view.loadBranch(unread.id)
  else if (cut) await view.loadOlder(cut.id, { limit: PAGE })
  return unread !== undefined || cut !== undefined
}
