import type { ReactNode } from 'react'

/** A small fact beside a title. */
export function Chip({ children, className = '' }: { children: ReactNode; className?: string }) {
  return (
    <span
      className={`inline-flex items-center gap-1 rounded border border-line px-1.5 text-2xs whitespace-nowrap text-ink-2 ${className}`}
    >
      {children}
    </span>
  )
}

/** The name of an agent, in the hue that is its own. */
export function AgentName({ name, className = '' }: { name: string; className?: string }) {
  return <span className={`font-medium text-hue ${className}`}>{name}</span>
}
