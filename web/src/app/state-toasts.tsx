import { useEffect } from 'react'
import { useOverPauses } from '../state/asked-pauses.ts'
import { isCancelPending } from '../state/pending-cancels.ts'
import { branchOf, pathOf } from '../state/branch-lookup.ts'
import { showToast } from '../ui/toasts.tsx'
import { useConversationView, useView } from '../state/conversation.tsx'
import { navigate } from '../state/route.ts'

/** A subagent has stopped while another branch is in view. */
export function StateToasts({ branchId }: { branchId: string }) {
  const view = useConversationView()
  const toasts = useView((state) => state.toasts)
  useOverPauses()
  useEffect(() => {
    for (const toast of toasts) {
      view.dismissToast(toast.id)
      const branch = view.state && branchOf(view.state, toast.branchId)
      if (!branch || branch.id === branchId || isCancelPending(toast.runId)) continue
      showToast({
        text: `${toast.agent} ${WORDS[toast.status] ?? 'stopped'}: ${toast.headline ?? toast.task}`,
        tone: toast.status === 'completed' ? 'done' : 'plain',
        action: { label: 'View', onPress: () => navigate(pathOf(branch)) },
      })
    }
  }, [toasts, view, branchId])
  return null
}

const WORDS: Readonly<Record<string, string>> = {
  completed: 'is done',
  failed: 'failed',
  paused: 'paused',
  cancelled: 'was cancelled',
}
