import type { Rule } from '../../core/agent.ts'

/** An agent that only reads. Rules cannot keep a command from writing, so each of them is asked for. */
export const READ_ONLY: readonly Rule[] = [
  { tool: 'write', action: 'deny' },
  { tool: 'edit', action: 'deny' },
  { tool: 'bash', action: 'ask' },
]
