import { lineage, shownMessages, type BranchView, type CallView, type ViewState } from 'offshoot/client'
import { useEffect, useMemo } from 'react'
import { useConversationView, useView } from '../state/conversation.tsx'
import { showError } from '../ui/toasts.tsx'
import { itemsOf, type Item } from './transcript-items.ts'

export interface PathItems {
  /** Messages of ancestor branches come first. */
  readonly items: readonly Item[]
  readonly loaded: boolean
  /** The branch with older messages to load; null: none. */
  readonly olderOf: BranchView | null
}

/** The messages of a branch: inherited ones, then its own. Loads missing ones. */
export function usePathItems(branchId: string): PathItems {
  const view = useConversationView()
  const path = useView((state) => branchesOf(state, branchId))
  const missing = path.find((branch) => branch.messages === null)?.id
  useEffect(() => {
    if (missing) view.loadBranch(missing).catch(showError)
  }, [view, missing])
  const branchOfCall = useBranchOfCall()
  const items = useMemo(() => {
    const callOf = (id: string): CallView | undefined =>
      path.map(({ calls }) => calls[id as CallView['id']]).find((call) => call !== undefined)
    return itemsOf(messagesOf(path), { callOf, branchOfCall })
  }, [path, branchOfCall])
  return {
    items,
    loaded: missing === undefined,
    olderOf: path.findLast((branch) => branch.before !== null) ?? null,
  }
}

/** The branches whose messages this one shows, topmost first. */
export function branchesOf(state: ViewState, branchId: string): readonly BranchView[] {
  return lineage(state, branchId as BranchView['id']).flatMap(({ branchId: id }) => state.branches[id] ?? [])
}

/** If a branch lacks older messages, those above it would leave a gap: they wait. */
function messagesOf(path: readonly BranchView[]) {
  const from = path.findLastIndex((branch) => branch.before !== null)
  return path.slice(Math.max(0, from)).flatMap((branch, at, shown) => {
    const end = shown[at + 1]?.originMessageId
    const messages = shownMessages(branch)
    const last = end ? messages.findIndex(({ id }) => id === end) : -1
    return last < 0 ? (end ? [] : messages) : messages.slice(0, last + 1)
  })
}

function useBranchOfCall(): ReadonlyMap<string, BranchView> {
  const spawned = useView((state) =>
    Object.values(state.branches).map(({ originToolCallId, id }) => `${originToolCallId} ${id}`),
  )
  const all = useView((state) => state.branches)
  return useMemo(
    () =>
      new Map(
        spawned.flatMap((pair) => {
          const [callId, id] = pair.split(' ')
          const branch = all[id as BranchView['id']]
          return branch && callId && callId !== 'null' ? [[callId, branch] as const] : []
        }),
      ),
    // Ignores other changes of a branch.
    [spawned],
  )
}
