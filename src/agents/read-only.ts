import type { Rule } from '../core/agent.ts'
import { askBefore } from './ask-before.ts'

/** An agent that only reads. Rules cannot prevent a command from writing, so each command asks. */
export const READ_ONLY: readonly Rule[] = [
  { tool: 'write', action: 'deny' },
  { tool: 'edit', action: 'deny' },
  { tool: 'bash', action: 'ask' },
]

/** The same for an agent with rules: keeps all that deny. */
export function readOnly(rules: readonly Rule[]): readonly Rule[] {
  if (rules.length === 0) return READ_ONLY
  return [...askBefore(rules, ['bash']), ...READ_ONLY.filter(({ action }) => action === 'deny')]
}
