import type { RunRow } from 'offshoot/protocol'
import { useCallback } from 'react'
import { useClient } from '../state/client.ts'
import { useConversations } from '../state/conversations.ts'
import { useAnswer } from '../state/use-answer.ts'
import { AgentRow } from './agent-row.tsx'

/** Maximum age of the list, because no events arrive for other conversations. Milliseconds. */
const EVERY_MS = 3000

interface OtherAgentsProps {
  readonly conversationId: string
  readonly isFound: (run: RunRow) => boolean
}

/** Working, waiting and paused agents of other conversations, by conversation. */
export function OtherAgents({ conversationId, isFound }: OtherAgentsProps) {
  const client = useClient()
  const { value: conversations = [] } = useConversations()
  const { value: runs = [] } = useAnswer(
    useCallback(() => client.listRuns({}), [client]),
    EVERY_MS,
  )
  const others = runs.filter((run) => run.conversationId !== conversationId && isFound(run))
  const titleOf = (id: string) => conversations.find((each) => each.id === id)?.title || 'Untitled'
  return (
    <section aria-label={`Other conversations, ${others.length}`} className="mt-2 border-t border-line pt-1">
      {others.length === 0 && (
        <p className="px-4 py-3 text-center text-sm text-ink-3">No agents running in other conversations</p>
      )}
      {[...Map.groupBy(others, (run) => run.conversationId)].map(([id, own]) => (
        <div key={id}>
          <h2 className="truncate px-4 pt-2.5 pb-1 text-xs font-semibold text-ink-2">{titleOf(id)}</h2>
          <ul className="px-1.5">
            {own.map((run) => (
              <AgentRow key={run.id} run={run} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
