import { useCallback, useMemo, type ReactNode } from 'react'
import { MarksContext } from '../ui/agent-mark.tsx'
import { useClient } from './client.ts'
import { useAnswer } from './use-answer.ts'

/** Icons of a conversation's agents: each directory has its own. */
export function AgentMarks({ conversationId, children }: { conversationId: string; children: ReactNode }) {
  const client = useClient()
  const { value } = useAnswer(
    useCallback(() => client.listAgents({ conversation: conversationId }), [client, conversationId]),
  )
  const marks = useMemo(() => new Map(value?.map((agent) => [agent.name, agent])), [value])
  return <MarksContext value={marks}>{children}</MarksContext>
}
