import type { AgentFormat } from '../agent-format.ts'
import type { ParsedDefinition } from '../parse-definition.ts'
import { claudeRestrictions, serverNames } from './claude.ts'
import { sheetOf } from './foreign-fields.ts'

/** `.cursor/agents`: https://cursor.com/docs/context/subagents */
export const cursorFormat: AgentFormat = {
  name: 'cursor',
  extensions: ['.md'],
  parse: (text, path) => [parseCursor(text, path)],
}

/** Its own keys, and those of Claude Code that people write there: they can only restrict. */
function parseCursor(text: string, path: string): ParsedDefinition {
  const sheet = sheetOf(text)
  if (typeof sheet === 'string') return { skipped: sheet, warnings: [] }
  return sheet.agent(path, sheet.body, {
    ...claudeRestrictions(sheet),
    model: sheet.take('model'),
    maxTurns: sheet.take('maxTurns'),
    background: sheet.take('is_background'),
    mcpServers: serverNames(sheet),
  })
}
