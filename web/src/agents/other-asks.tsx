import type { ApprovalRow, QuestionRow } from 'offshoot/protocol'
import { useCallback } from 'react'
import { useClient } from '../state/client.ts'
import { useConversations } from '../state/conversations.ts'
import { branchPath } from '../state/route.ts'
import { useAnswer } from '../state/use-answer.ts'
import { AskLine } from './ask-line.tsx'

/** Open asks of other conversations, each a link. */
export function OtherAsks({ conversationId }: { conversationId: string }) {
  const { value: conversations = [] } = useConversations()
  const asking = conversations.filter(({ id, needsYou }) => needsYou > 0 && id !== conversationId)
  const asks = useAsks(asking.map(({ id, needsYou }) => `${id} ${needsYou}`).join('\n'))
  if (asking.length === 0 || asks.length === 0) return null
  const titleOf = (id: string) => asking.find((each) => each.id === id)?.title
  return (
    <section aria-label="Needs you in other conversations" className="px-3 pb-1">
      <h2 className="px-1 pt-2.5 pb-1 text-xs font-semibold text-needs">In other conversations</h2>
      <ul className="flex flex-col gap-1">
        {asks.map((ask) => (
          <li key={ask.id}>
            <AskLine
              tall
              ask={ask}
              path={branchPath(ask.conversationId, ask.branchId)}
              from={titleOf(ask.conversationId) || 'Untitled'}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** `asking`: the conversations with their number of asks; reloads when it changes. */
function useAsks(asking: string): readonly (ApprovalRow | QuestionRow)[] {
  const client = useClient()
  const ask = useCallback(async () => {
    const ids = asking.split('\n').flatMap((line) => line.split(' ')[0] ?? [])
    const lists = await Promise.all(
      ids
        .filter((id) => id !== '')
        .flatMap((conversation) => [
          client.listApprovals({ conversation }),
          client.listQuestions({ conversation }),
        ]),
    )
    return lists.flat()
  }, [client, asking])
  return useAnswer(ask).value ?? []
}
