import type { ConversationView } from 'offshoot/client'
import { branchesOf } from './path-messages.ts'
import { shownTranscript } from './shown-transcript.ts'

/** As many as the server gives at once: all are wanted. */
const PAGE = 200

/** Loads what is missing before the messages that are there, and shows the first. */
export async function toFirstMessage(view: ConversationView, branchId: string): Promise<void> {
  const transcript = shownTranscript()
  // Who has gone elsewhere meanwhile is not scrolled, and told of no error.
  const isLeft = () => transcript !== shownTranscript()
  try {
    while (!isLeft() && (await loadMissing(view, branchId))) continue
  } catch (error) {
    if (!isLeft()) throw error
  }
  // In the frame after the next it is drawn.
  requestAnimationFrame(() => requestAnimationFrame(() => !isLeft() && transcript?.toStart()))
}

export function toLastMessage(): void {
  shownTranscript()?.toEnd()
}

/** One page of what is missing; false: all is there. */
async function loadMissing(view: ConversationView, branchId: string): Promise<boolean> {
  const path = view.state ? branchesOf(view.state, branchId) : []
  const unread = path.find(({ messages }) => messages === null)
  const cut = path.findLast(({ before }) => before !== null)
  if (unread) await view.loadBranch(unread.id)
  else if (cut) await view.loadOlder(cut.id, { limit: PAGE })
  return unread !== undefined || cut !== undefined
}
