import type { MessageId } from '../../src/core/ids.ts'
import type { Said, Stored, World } from './world.ts'

interface Place {
  readonly said: Said
  readonly branchId: string
  /** Infinity: it waits. */
  readonly at: number
}

/**
 * What was acknowledged before something else was sent to the same branch is read before that, or by then withdrawn. Only
 * what is said to be read at once comes before what was said for later.
 */
export function checkReadingOrder({ said, watch }: World, stored: Stored): void {
  const places = placesOf(said, stored)
  for (const earlier of places)
    for (const later of places) {
      const { said: first, at } = earlier
      const { said: second } = later
      const isInOrder = first.toldAt === undefined || first.toldAt > second.sentAt || at <= later.at
      if (isInOrder || earlier.branchId !== later.branchId) continue
      if (second.isSteer && !first.isSteer) continue
      const where = at === Infinity ? 'still waits' : 'is read later'
      watch.report('order', `${first.token} was taken before ${second.token} was sent, and ${where}`)
    }
}

function placesOf(said: readonly Said[], stored: Stored): Place[] {
  const parts = stored.find('parts', {})
  const items = stored.find('inbox', { where: { deliveredAt: null, withdrawnAt: null } })
  return said.flatMap((each): Place[] => {
    const part = parts.find((row) => row.part.type === 'text' && row.part.text.endsWith(each.token))
    if (part) return [placeOf(each, part, stored)]
    const item = items.find(({ text }) => text.endsWith(each.token))
    return item ? [{ said: each, branchId: item.branchId, at: Infinity }] : []
  })
}

function placeOf(said: Said, part: { messageId: MessageId; position: number }, stored: Stored): Place {
  const { branchId, position } = stored.get('messages', part.messageId)!
  return { said, branchId, at: position + part.position / PARTS }
}

/** More than a message has. */
const PARTS = 10_000
