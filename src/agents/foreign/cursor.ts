import type { AgentFormat } from '../agent-format.ts'
import type { ParsedDefinition } from '../parse-definition.ts'
import { claudeRestrictions, serverNames } from './claude.ts'
import { foreignFieldsOf } from './foreign-fields.ts'

/** `.cursor/agents`: https://cursor.com/docs/context/subagents */
export const cursorFormat: AgentFormat = {
  name: 'cursor',
  parse: (text, path) => [parseCursor(text, path)],
}

/** Its own keys, and Claude Code's keys that people use there: they can only restrict. */
function parseCursor(text: string, path: string): ParsedDefinition {
  const foreign = foreignFieldsOf(text)
  if (typeof foreign === 'string') return { skipped: foreign, warnings: [] }
  return foreign.agent(path, foreign.body, {
    ...claudeRestrictions(foreign),
    model: foreign.take('model'),
    maxTurns: foreign.take('maxTurns'),
    background: foreign.take('is_background'),
    mcpServers: serverNames(foreign),
  })
}
