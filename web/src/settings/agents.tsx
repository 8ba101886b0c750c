import { agentTitle } from 'offshoot/client'
import type { AgentRow } from 'offshoot/protocol'
import { useEffect, useRef } from 'react'
import { AgentName, Chip } from '../ui/badge.tsx'
import { counted, hueOf } from '../ui/format.ts'
import { Answered, PageLink, useAgents, useConfig } from './settings-section.tsx'
import { modelWords, originOf } from './agent-labels.ts'

/** All agents that can be started here. `leftAgent`: the agent whose page was left, which gets the focus. */
export function Agents({ leftAgent }: { leftAgent: string | null }) {
  const config = useConfig()
  const asked = useAgents()
  const list = useRef<HTMLUListElement>(null)
  const isThere = asked.value !== undefined
  useEffect(() => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-agent] a') ?? [])]
    if (isThere && leftAgent !== null)
      links.find((link) => link.parentElement?.dataset['agent'] === leftAgent)?.focus()
  }, [isThere, leftAgent])
  const directory = config.value?.directory
  return (
    <Answered asked={asked}>
      {(agents) => (
        <ul
          ref={list}
          className="overflow-hidden rounded-lg border border-line bg-raised [&>li+li]:border-t [&>li+li]:border-line"
        >
          {agents.map((agent) => (
            <li key={agent.name} data-agent={agent.name} className={hueOf(agent.name)}>
              <PageLink
                to={`/settings/agents/${encodeURIComponent(agent.name)}`}
                className="block border-l-3 border-hue px-4 py-3 -outline-offset-2 hover:bg-hover/60"
              >
                <AgentLine agent={agent} directory={directory} />
              </PageLink>
            </li>
          ))}
        </ul>
      )}
    </Answered>
  )
}

function AgentLine({ agent, directory }: { agent: AgentRow; directory: string | undefined }) {
  const { name, title, description, tools, maxTurns } = agent
  return (
    <>
      <span className="flex flex-wrap items-baseline gap-x-2">
        <AgentName name={name} agent={agent} className="text-sm" />
        {title && <span className="text-xs text-ink-2">{agentTitle(title)}</span>}
        <Chip>{originOf(agent, directory)}</Chip>
        <span className="flex-1" />
        <span className="text-xs text-ink-3 tabular-nums">{`${counted(maxTurns, 'turn')} · ${modelWords(agent)}`}</span>
      </span>
      <span className="mt-0.5 line-clamp-2 text-sm break-words text-ink-2">{description}</span>
      <span className="mt-1 line-clamp-1 font-mono text-2xs text-ink-3">
        {tools.length === 0 ? 'no tools' : tools.join(' ')}
      </span>
    </>
  )
}
