import { tokenWords } from 'offshoot/client'
import type { ModelRow } from 'offshoot/protocol'
import { Chip } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { Answered, Cell, Section, Table, useModels } from './settings-section.tsx'

/** The available models. Never shows a key, only whether it is set. */
export function Models() {
  return (
    <Answered asked={useModels()}>
      {(models) => (
        <>
          <p className="text-sm text-ink-2">
            Keys are read from the environment of the server and are never sent to this page. Prices are US
            dollars per million tokens.
          </p>
          {[...Map.groupBy(models, ({ provider }) => provider)].map(([provider, rows]) => (
            <Provider key={provider} name={provider} models={rows} />
          ))}
        </>
      )}
    </Answered>
  )
}

function Provider({ name, models }: { name: string; models: readonly ModelRow[] }) {
  const isUsable = models.some(({ usable }) => usable)
  const note = models.find((model) => model.note !== null)?.note
  return (
    <Section
      title={name}
      note={
        <span className="flex flex-wrap items-center gap-x-2">
          <span
            className={`inline-flex items-center gap-1 font-medium ${isUsable ? 'text-done' : 'text-ink-3'}`}
          >
            <Icon name={isUsable ? 'check' : 'x'} size={12} />
            {isUsable ? 'Configured' : 'Not configured'}
          </span>
          {note && <span>{note}</span>}
        </span>
      }
    >
      <Table label={`Models of ${name}`} heads={['Model', 'Context', 'Input', 'Output']}>
        {models.map(({ id, label, isDefault, windowTokens, price }) => (
          <tr key={id}>
            <Cell className="font-mono">
              {label}
              {isDefault && <Chip className="ml-2 font-sans">default</Chip>}
            </Cell>
            <Cell className="text-ink-2 tabular-nums">
              {windowTokens === null ? 'unknown' : tokenWords(windowTokens)}
            </Cell>
            <Cell className="text-ink-2 tabular-nums">{price ? `$${price.input}` : 'unknown'}</Cell>
            <Cell className="text-ink-2 tabular-nums">{price ? `$${price.output}` : 'unknown'}</Cell>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
