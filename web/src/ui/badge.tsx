import type { ReactNode } from 'react'
import { AgentMark } from './agent-mark.tsx'
import type { AgentRow } from 'offshoot/protocol'

export function Chip({ children, className = '' }: { children: ReactNode; className?: string }) {
  return (
    <span
      className={`inline-flex items-center gap-1 rounded border border-line px-1.5 text-2xs whitespace-nowrap text-ink-2 ${className}`}
    >
      {children}
    </span>
  )
}

interface AgentNameProps {
  readonly name: string
  /** Set where the agent itself is shown, outside a conversation. */
  readonly agent?: AgentRow
  readonly className?: string
}

/** The icon and name of an agent, in its hue. */
export function AgentName({ name, agent, className = '' }: AgentNameProps) {
  return (
    <span className={`font-medium text-hue ${className}`}>
      <AgentMark name={name} agent={agent} className="mr-1" />
      <span>{name}</span>
    </span>
  )
}
