import { limitNames, settingsOf, valueWords, type Config, type Setting } from './config-labels.ts'
import { Answered, Cell, Section, Table, useConfig } from './settings-section.tsx'

const LIMITS = 'limits.'

/** The caps of a conversation, and the rest of the effective configuration. */
export function Limits() {
  return (
    <Answered asked={useConfig()}>
      {(config) => {
        const settings = settingsOf(config)
        return (
          <>
            <Warnings warnings={config.warnings} />
            <Section
              title="Limits"
              note="A conversation pauses when it reaches a limit, and can be continued."
            >
              <Settings settings={settings.filter(({ key }) => key.startsWith(LIMITS))} label="Limits" />
            </Section>
            <Section title="Other settings">
              <Settings
                settings={settings.filter(({ key }) => !key.startsWith(LIMITS))}
                label="Other settings"
              />
            </Section>
            <Files config={config} />
          </>
        )
      }}
    </Answered>
  )
}

function Settings({ settings, label }: { settings: readonly Setting[]; label: string }) {
  const isTold = settings.some(({ origin }) => origin !== undefined)
  return (
    <Table label={label} heads={['Setting', 'Value', ...(isTold ? ['Source'] : [])]}>
      {settings.map((setting) => (
        <tr key={setting.key}>
          <Cell>
            {limitNames[setting.key.slice(LIMITS.length)] ?? null}
            <code className="block text-2xs text-ink-3">{setting.key}</code>
          </Cell>
          <Cell className="font-medium break-all tabular-nums">{valueWords(setting)}</Cell>
          {isTold && <Cell className="whitespace-nowrap text-ink-2">{setting.origin ?? ''}</Cell>}
        </tr>
      ))}
    </Table>
  )
}

export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <ul className="mb-6 rounded-md border border-needs-line bg-needs-soft px-3 py-2 text-xs text-needs">
      {warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  )
}

export function Files({ config: { sources, directory, version } }: { config: Config }) {
  return (
    <Section
      title="Read from"
      note="Later sources override earlier ones. Environment variables and flags override files."
    >
      <ul className="font-mono text-xs break-all text-ink-2">
        {sources.length === 0 && <li className="font-sans text-ink-3">no configuration file</li>}
        {sources.map((source) => (
          <li key={source}>{source}</li>
        ))}
      </ul>
      <p className="mt-3 text-xs text-ink-3">
        {`Offshoot ${version} in `}
        <span className="font-mono break-all">{directory}</span>
      </p>
    </Section>
  )
}
