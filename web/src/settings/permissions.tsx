import { delegationsOf, rulesOf, type Config } from './config-labels.ts'
import { Files, Warnings } from './limits.tsx'
import { Answered, Section, useAgents, useConfig } from './settings-section.tsx'
import { EffectiveTable, RuleTable, WHICH_COUNTS } from './rule-tables.tsx'

/** The configured rules, and their effect on the main agent. */
export function Permissions() {
  const agents = useAgents()
  const main = agents.value?.find(({ name }) => name === 'main')
  return (
    <Answered asked={useConfig()}>
      {(config) => (
        <>
          <Warnings warnings={config.warnings} />
          <Section title="Rules" note={WHICH_COUNTS}>
            <Rules config={config} />
          </Section>
          {main && (
            <Section
              title="What the main agent may do"
              note="Each agent’s page shows what it may do, and why."
            >
              <EffectiveTable rows={main.permissions} label="What the main agent may do" />
            </Section>
          )}
          <Delegations config={config} />
          <Files config={config} />
        </>
      )}
    </Answered>
  )
}

function Rules({ config }: { config: Config }) {
  const rules = rulesOf(config)
  if (rules.length === 0)
    return <p className="text-sm text-ink-2">No rules configured: every tool uses its default.</p>
  return <RuleTable rules={rules} label="Rules" />
}

function Delegations({ config }: { config: Config }) {
  const delegations = delegationsOf(config)
  if (delegations.length === 0) return null
  return (
    <Section title="Delegated" note="What an agent may do even if its parent may not.">
      <ul className="font-mono text-xs break-all text-ink-2">
        {delegations.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </Section>
  )
}
