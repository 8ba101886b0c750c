import { agentMark, agentTitle } from 'offshoot/client'
import type { AgentRow } from 'offshoot/protocol'
import { createContext, use } from 'react'

type Marked = Pick<AgentRow, 'title' | 'icon'>

const NONE: ReadonlyMap<string, Marked> = new Map()

/** Icons and colours of a conversation's agents, by name. */
export const MarksContext = createContext(NONE)

/** The icon of an agent, as text. Its name is always shown beside it. */
export function AgentMark({ name, agent, className = '' }: AgentMarkProps) {
  const known = use(MarksContext).get(name)
  const { icon, title } = agent ?? known ?? {}
  return (
    <span
      aria-hidden="true"
      data-agent-mark
      title={agentTitle(title) || undefined}
      className={`inline-block max-w-[2.5em] shrink-0 overflow-hidden text-center align-bottom whitespace-nowrap text-hue [unicode-bidi:isolate] ${className}`}
    >
      {agentMark(icon)}
    </span>
  )
}

interface AgentMarkProps {
  readonly name: string
  /** Set where the agent itself is shown, outside a conversation. */
  readonly agent?: Marked | undefined
  readonly className?: string
}
