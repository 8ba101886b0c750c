import type { AgentFormat } from '../agent-format.ts'
import type { ParsedDefinition } from '../parse-definition.ts'
import { serverNames } from './claude.ts'
import { someOf } from './name-list.ts'
import { sheetOf } from './foreign-fields.ts'
import { allowedOf, deniedOf, readToolList } from './tool-list.ts'

/** `.gemini/agents`: https://geminicli.com/docs/core/subagents */
export const geminiFormat: AgentFormat = {
  name: 'gemini',
  extensions: ['.md'],
  parse: (text, path) => [parseGemini(text, path)],
}

const MINUTE_MS = 60_000

function parseGemini(text: string, path: string): ParsedDefinition {
  const sheet = sheetOf(text)
  if (typeof sheet === 'string') return { skipped: sheet, warnings: [] }
  const kind = sheet.take('kind')
  if (kind !== undefined && kind !== 'local') sheet.fail('it works on another machine')
  const { tools, rules, spawns } = allowedOf(
    readToolList(sheet.take('tools'), 'tools', sheet),
    'tools',
    sheet,
  )
  const denied = deniedOf(sheet)
  sheet.agree('max_turns', 'maxTurns')
  const minutes = sheet.take('timeout_mins')
  return sheet.agent(path, sheet.body, {
    tools,
    disallowedTools: someOf(denied.tools),
    spawns,
    permissions: someOf([...rules, ...denied.rules]),
    model: sheet.take('model'),
    temperature: sheet.take('temperature'),
    maxTurns: sheet.take('max_turns', 'maxTurns'),
    timeoutMs: typeof minutes === 'number' ? Math.round(minutes * MINUTE_MS) : minutes,
    mcpServers: serverNames(sheet),
  })
}
