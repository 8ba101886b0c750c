import type { AgentRow } from 'offshoot/protocol'
import type { ConfigRule } from './config-labels.ts'
import { Action, Cell, Table } from './settings-section.tsx'

/** The decision for each tool, and the deciding rule. */
export function EffectiveTable({ rows, label }: { rows: AgentRow['permissions']; label: string }) {
  if (rows.length === 0) return <p className="text-xs text-ink-3">No tools</p>
  return (
    <Table label={label} heads={['Tool', 'Applies to', 'Action', 'Decided by']}>
      {rows.map(({ tool, pattern, action, rule }) => (
        <tr key={`${tool} ${pattern}`}>
          <Cell className="font-mono whitespace-nowrap">{tool}</Cell>
          <Cell className="font-mono break-all text-ink-2">{pattern ?? 'anything'}</Cell>
          <Cell className="whitespace-nowrap">
            <Action action={action} />
          </Cell>
          <Cell className="min-w-48 text-ink-2">{rule}</Cell>
        </tr>
      ))}
    </Table>
  )
}

/** How rules combine (docs/permissions.md). */
export const WHICH_COUNTS =
  'Within a source, the last rule that matches a call applies; across sources, the strictest.'

export function RuleTable({ rules, label }: { rules: readonly ConfigRule[]; label: string }) {
  return (
    <Table label={label} heads={['Tool', 'Pattern', 'Action', 'Source']}>
      {rules.map(({ tool, pattern, action, origin }, index) => (
        <tr key={index}>
          <Cell className="font-mono whitespace-nowrap">{tool}</Cell>
          <Cell className="font-mono break-all text-ink-2">{pattern ?? 'anything'}</Cell>
          <Cell>
            <Action action={action} />
          </Cell>
          <Cell className="text-ink-2">{origin}</Cell>
        </tr>
      ))}
    </Table>
  )
}
