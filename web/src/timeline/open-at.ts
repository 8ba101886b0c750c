import type { Client, TimelineRun } from 'offshoot/client'
import { branchPath, navigate } from '../state/route.ts'

const PAGE = 200

/** Opens a run's branch at the last message that existed at the given time. */
export async function openAt(
  client: Client,
  conversationId: string,
  run: TimelineRun,
  at: number,
): Promise<void> {
  const message = await messageAt(client, run.branchId, at)
  navigate(branchPath(conversationId, run.branchId, message))
}

async function messageAt(client: Client, id: string, at: number): Promise<string | null> {
  for (let before: number | null | undefined; before !== null;) {
    const page = await client.listMessages({ id, limit: PAGE, ...(before === undefined ? {} : { before }) })
    const found =
      page.messages.findLast(({ createdAt }) => createdAt <= at) ??
      (page.before === null ? page.messages[0] : undefined)
    if (found) return found.id
    before = page.before
  }
  return null
}
