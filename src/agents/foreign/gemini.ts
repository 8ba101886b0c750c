import type { AgentFormat } from '../agent-format.ts'
import type { ParsedDefinition } from '../parse-definition.ts'
import { serverNames } from './claude.ts'
import { someOf } from './name-list.ts'
import { foreignFieldsOf } from './foreign-fields.ts'
import { allowedOf, deniedOf, readToolList } from './tool-list.ts'

/** `.gemini/agents`: https://geminicli.com/docs/core/subagents */
export const geminiFormat: AgentFormat = {
  name: 'gemini',
  parse: (text, path) => [parseGemini(text, path)],
}

const MINUTE_MS = 60_000

function parseGemini(text: string, path: string): ParsedDefinition {
  const foreign = foreignFieldsOf(text)
  if (typeof foreign === 'string') return { skipped: foreign, warnings: [] }
  const kind = foreign.take('kind')
  if (kind !== undefined && kind !== 'local') foreign.fail('it runs on another machine')
  const { tools, rules, spawns } = allowedOf(
    readToolList(foreign.take('tools'), 'tools', foreign),
    'tools',
    foreign,
  )
  const denied = deniedOf(foreign)
  foreign.agree('max_turns', 'maxTurns')
  const minutes = foreign.take('timeout_mins')
  return foreign.agent(path, foreign.body, {
    tools,
    disallowedTools: someOf(denied.tools),
    spawns,
    permissions: someOf([...rules, ...denied.rules]),
    model: foreign.take('model'),
    temperature: foreign.take('temperature'),
    maxTurns: foreign.take('max_turns', 'maxTurns'),
    timeoutMs: typeof minutes === 'number' ? Math.round(minutes * MINUTE_MS) : minutes,
    mcpServers: serverNames(foreign),
  })
}
