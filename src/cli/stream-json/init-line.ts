import type { Mode } from '../../permissions/modes.ts'
import type { StreamFacts } from './stream-facts.ts'
import type { Envelope, StreamLine } from './stream-line.ts'

/** The modes under the names that the format has for them. */
const MODE_NAMES = {
  plan: 'plan',
  ask: 'default',
  'accept-edits': 'acceptEdits',
  auto: 'auto',
} as const satisfies Record<Mode, string>

/** `system/init`. What the format asks for and this program has not is empty; the version is this program's. */
export function initLine(facts: StreamFacts, envelope: Envelope): StreamLine {
  return {
    type: 'system',
    subtype: 'init',
    cwd: facts.directory,
    model: facts.model,
    tools: facts.tools,
    agents: facts.agents,
    permissionMode: MODE_NAMES[facts.mode],
    apiKeySource: 'none',
    claude_code_version: facts.version,
    mcp_servers: [],
    slash_commands: [],
    output_style: 'default',
    skills: [],
    plugins: [],
    ...envelope,
  }
}
