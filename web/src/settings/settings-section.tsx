import type { Client } from 'offshoot/client'
import { useCallback, type MouseEvent, type ReactNode } from 'react'
import { useClient } from '../state/client.ts'
import { navigate } from '../state/route.ts'
import { useAnswer, type ServerAnswer } from '../state/use-answer.ts'
import { Button } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'

export function useAgents() {
  return useAbout(askAgents)
}

export function useModels() {
  return useAbout(askModels)
}

export function useConfig() {
  return useAbout(askConfig)
}

const askAgents = (client: Client) => client.listAgents()
const askModels = (client: Client) => client.listModels()
const askConfig = (client: Client) => client.getConfig()

/** Data about the server. `ask` must be a stable function. */
function useAbout<T>(ask: (client: Client) => Promise<T>): ServerAnswer<T> {
  const client = useClient()
  return useAnswer(useCallback(() => ask(client), [client, ask]))
}

interface AnsweredProps<T> {
  readonly asked: ServerAnswer<T>
  readonly children: (value: T) => ReactNode
}

/** The loaded data, or the error. */
export function Answered<T>({ asked: { value, error, again }, children }: AnsweredProps<T>) {
  if (value !== undefined) return children(value)
  if (!error) return <p className="text-sm text-ink-3">Loading…</p>
  return (
    <div role="alert" className="flex items-center gap-3 text-sm">
      <span className="text-failed">{error.message}</span>
      <Button onPress={again}>Try again</Button>
    </div>
  )
}

export function Section({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section className="mt-8 [h1+&]:mt-0">
      <h2 className="text-sm font-semibold">{title}</h2>
      {note && <p className="mt-0.5 text-xs text-ink-3">{note}</p>}
      <div className="mt-2.5">{children}</div>
    </section>
  )
}

interface TableProps {
  readonly label: string
  readonly heads: readonly string[]
  readonly children: ReactNode
}

/** A table of facts; scrolls separately on a narrow screen. */
export function Table({ label, heads, children }: TableProps) {
  return (
    <div
      className="scrolls overflow-x-auto rounded-lg border border-line bg-raised"
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table className="w-full text-left text-xs">
        <thead>
          <tr className="border-b border-line bg-panel text-ink-3">
            {heads.map((head) => (
              <th key={head} scope="col" className="px-3 py-1.5 font-normal whitespace-nowrap">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="[&>tr+tr]:border-t [&>tr+tr]:border-line">{children}</tbody>
      </table>
    </div>
  )
}

export function Cell({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <td className={`px-3 py-1.5 align-top ${className}`}>{children}</td>
}

const ACTIONS: Readonly<
  Record<'allow' | 'ask' | 'deny', { readonly icon: IconName; readonly tone: string }>
> = {
  allow: { icon: 'check', tone: 'text-done' },
  ask: { icon: 'question', tone: 'text-needs' },
  deny: { icon: 'x', tone: 'text-failed' },
}

export function Action({ action }: { action: keyof typeof ACTIONS }) {
  const { icon, tone } = ACTIONS[action]
  return (
    <span className={`inline-flex items-center gap-1 font-medium ${tone}`}>
      <Icon name={icon} size={12} />
      {action}
    </span>
  )
}

interface PageLinkProps {
  readonly to: string
  readonly children: ReactNode
  readonly className?: string
  readonly isCurrent?: boolean
}

/** A link within this page that also opens in another tab. */
export function PageLink({ to, children, className = '', isCurrent = false }: PageLinkProps) {
  const onClick = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    navigate(to)
  }
  return (
    <a
      href={to}
      onClick={onClick}
      data-opener={to}
      aria-current={isCurrent ? 'page' : undefined}
      className={className}
    >
      {children}
    </a>
  )
}
