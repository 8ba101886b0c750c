import { agentTitle, costWords, durationWords } from 'offshoot/client'
import type { AgentRow } from 'offshoot/protocol'
import { useEffect, useRef, type ReactNode } from 'react'
import { AgentName, Chip } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { counted, hueOf } from '../ui/format.ts'
import { TextLines } from '../ui/text-lines.tsx'
import { modelWords, originOf } from './agent-labels.ts'
import { rulesOf, type Config, type ConfigRule } from './config-labels.ts'
import { Answered, Section, useAgents, useConfig } from './settings-section.tsx'
import { EffectiveTable, RuleTable, WHICH_COUNTS } from './rule-tables.tsx'

/** One agent: its purpose, its permissions with reasons, and its instructions. */
export function AgentDetail({ name, onBack }: { name: string; onBack: () => void }) {
  const config = useConfig()
  const back = useRef<HTMLButtonElement>(null)
  useEffect(() => back.current?.focus(), [])
  return (
    <>
      <Button look="quiet" icon="left" onPress={onBack} className="-ml-2.5" ref={back}>
        Agents
      </Button>
      <Answered asked={useAgents()}>
        {(agents) => {
          const agent = agents.find((each) => each.name === name)
          if (!agent) return <p className="mt-4 text-sm text-ink-2">{`There is no agent ${name} here.`}</p>
          return <Sheet agent={agent} agents={agents} config={config.value} />
        }}
      </Answered>
    </>
  )
}

interface SheetProps {
  readonly agent: AgentRow
  readonly agents: readonly AgentRow[]
  readonly config: Config | undefined
}

function Sheet({ agent, agents, config }: SheetProps) {
  const patterns = config ? patternRules(config, agent, agents) : []
  return (
    <div className={hueOf(agent.name)}>
      <div className="mt-3 flex flex-wrap items-baseline gap-x-2">
        <h1 className="text-lg font-semibold">
          <AgentName name={agent.name} agent={agent} />
        </h1>
        {agent.title && <span className="text-sm text-ink-2">{agentTitle(agent.title)}</span>}
        <Chip>{originOf(agent, config?.directory)}</Chip>
      </div>
      <p className="mt-1 mb-6 text-sm break-words text-ink-2">{agent.description}</p>
      <Facts agent={agent} />
      <Section
        title="Effective permissions"
        note="What it may do when the main agent starts it: the stricter of both, and the rule that decides. A rule with a pattern can decide differently for the calls that it matches."
      >
        <EffectiveTable rows={agent.permissions} label={`Effective permissions of ${agent.name}`} />
      </Section>
      {patterns.length > 0 && (
        <Section title="Rules for specific calls" note={WHICH_COUNTS}>
          <RuleTable rules={patterns} label="Rules for specific calls" />
        </Section>
      )}
      {agent.delegations.length > 0 && (
        <Section title="Delegated" note="What this agent may do even if its parent may not.">
          <ul className="font-mono text-xs">
            {agent.delegations.map(({ tool, pattern }) => (
              <li key={`${tool} ${pattern}`}>{pattern === undefined ? tool : `${tool}: ${pattern}`}</li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Instructions" note="Shown as written, without rendering Markdown.">
        {agent.prompt.trim() === '' ? (
          <p className="text-xs text-ink-3">none</p>
        ) : (
          <TextLines text={agent.prompt} label="Instructions" />
        )}
      </Section>
      <Schema title="Input" schema={agent.inputSchema} />
      <Schema title="Report" schema={agent.outputSchema} />
    </div>
  )
}

/** Configured rules that may match a call of this agent. A name that is not a tool is a toolset. */
function patternRules(
  config: Config,
  { tools }: AgentRow,
  agents: readonly AgentRow[],
): readonly ConfigRule[] {
  const known = new Set(agents.flatMap((each) => each.tools))
  return rulesOf(config).filter(
    ({ tool, pattern }) => pattern !== undefined && (tools.includes(tool) || !known.has(tool)),
  )
}

function Facts({ agent }: { agent: AgentRow }) {
  const { maxTurns, maxCostUsd, timeoutMs, background, spawns, source, tools } = agent
  return (
    <dl className="grid grid-cols-[7.5rem_1fr] gap-x-4 gap-y-1.5 text-sm">
      <Fact name="Model">{modelWords(agent)}</Fact>
      <Fact name="Turn limit">{counted(maxTurns, 'turn')}</Fact>
      <Fact name="Cost limit">
        {maxCostUsd === null ? 'same as the conversation' : costWords(maxCostUsd)}
      </Fact>
      <Fact name="Time limit">{timeoutMs === null ? 'none' : durationWords(timeoutMs)}</Fact>
      <Fact name="Runs">{background ? 'in the background' : 'in the foreground'}</Fact>
      <Fact name="May start">{spawns.length === 0 ? 'no other agent' : spawns.join(', ')}</Fact>
      <Fact name="Tools">
        {tools.length === 0 ? (
          'none'
        ) : (
          <ul className="flex flex-wrap gap-1">
            {tools.map((tool) => (
              <li key={tool}>
                <Chip className="font-mono">{tool}</Chip>
              </li>
            ))}
          </ul>
        )}
      </Fact>
      <Fact name="Source">
        <span className="font-mono text-xs break-all">{source}</span>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}

function Schema({ title, schema }: { title: string; schema: AgentRow['inputSchema'] }) {
  if (!schema) return null
  return (
    <Section title={title} note="JSON Schema">
      <TextLines text={JSON.stringify(schema, null, 2)} label={`Schema: ${title.toLowerCase()}`} />
    </Section>
  )
}
