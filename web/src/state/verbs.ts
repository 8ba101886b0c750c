import type { ApprovalRow, InboxItem, QuestionRow, RouteInput, RunRow } from 'offshoot/protocol'
import { useMemo } from 'react'
import { showError, showToast } from '../ui/toasts.tsx'
import { useClient } from './client.ts'
import { pauseAsked, pauseOver } from './asked-pauses.ts'
import { cancelSoon, undoCancel } from './pending-cancels.ts'
import { reloadConversations } from './conversations.ts'
import { thisWindow } from './this-window.ts'

type Answer = Omit<RouteInput<'answerApproval'>, 'id' | 'by'>

function notPaused(ids: readonly string[], error: unknown): never {
  pauseOver(ids)
  throw error
}

/** Actions on a conversation. Each shows its own error; the state changes when the events arrive. */
export function useVerbs() {
  const client = useClient()
  return useMemo(() => {
    const done = (promise: Promise<unknown>) => void promise.catch(showError)
    return {
      pause: (run: RunRow) => {
        pauseAsked([run.id])
        done(client.pauseRun({ id: run.id }).catch((error: unknown) => notPaused([run.id], error)))
      },
      continue: (run: RunRow) => {
        pauseOver([run.id])
        done(client.continueBranch({ id: run.branchId }))
      },
      /** undoable for ten seconds */
      cancel: (run: RunRow) => cancelSoon(client, run),
      undoCancel,
      background: (run: RunRow) => done(client.backgroundRun({ id: run.id })),
      interrupt: (branchId: string) => done(client.interruptBranch({ id: branchId })),
      /** `runs`: shown as pausing from now on. */
      pauseAll: (conversationId: string, runs: readonly string[] = []) => {
        pauseAsked(runs)
        done(
          client.pauseConversation({ id: conversationId }).catch((error: unknown) => notPaused(runs, error)),
        )
      },
      cancelAll: (conversationId: string) => done(client.cancelConversation({ id: conversationId })),
      approve: (approval: ApprovalRow, answer: Answer) =>
        done(client.answerApproval({ id: approval.id, ...answer, by: thisWindow }).then(reloadConversations)),
      answer: (question: QuestionRow, text: string) =>
        done(client.answerQuestion({ id: question.id, text, by: thisWindow }).then(reloadConversations)),
      /** `wake: false`: the report of a stopped subagent is not delivered. */
      send: (branchId: string, text: string, mode: 'steer' | 'follow_up', wake = true) =>
        client.sendMessage({ id: branchId, text, mode, ...(wake ? {} : { wake: false as const }) }),
      edit: (messageId: string, text: string) => client.editMessage({ id: messageId, text }),
      regenerate: (messageId: string) => client.regenerateMessage({ id: messageId }),
      fork: (messageId: string) => client.forkMessage({ id: messageId }),
      editItem: (item: InboxItem, text: string) => done(client.changeInboxItem({ id: item.id, text })),
      steerItem: (item: InboxItem) => done(client.changeInboxItem({ id: item.id, mode: 'steer' })),
      withdraw: (item: InboxItem) => done(client.withdrawInboxItem({ id: item.id })),
      rename: (conversationId: string, title: string) =>
        done(client.updateConversation({ id: conversationId, title })),
      remove: (conversationId: string) => client.deleteConversation({ id: conversationId }),
      copyLink: (path: string) =>
        void navigator.clipboard
          .writeText(location.origin + path)
          .then(() => showToast({ text: 'Link copied', tone: 'done' }), showError),
    }
  }, [client])
}
