import { schemaChecker } from '../agents/schema-checker.ts'
import { reportPrompt } from '../agents/report-prompt.ts'
import { MAX_ROLE_CHARS } from '../agents/system-prompt.ts'
import type { AgentDefinition, JsonSchema } from '../core/agent.ts'
import { errorMessage, OffshootError } from '../core/errors.ts'

/** The agent with what `--append-system-prompt` adds to its instructions. @throws OffshootError `usage` */
export function withAppended(agent: AgentDefinition, text: string): AgentDefinition {
  const prompt = `${agent.prompt}\n\n## Added on the command line\n${text}`
  if (text.trim() === '')
    throw new OffshootError('usage', '--append-system-prompt is empty', { hint: 'leave it out' })
  if (prompt.length <= MAX_ROLE_CHARS) return { ...agent, prompt }
  const most = MAX_ROLE_CHARS - agent.prompt.length
  throw new OffshootError(
    'usage',
    `--append-system-prompt has ${text.length} characters; about ${most} fit`,
    {
      hint: 'save the rest as a file and name the file in it',
    },
  )
}

/** For a conversation whose instructions are written already. */
export function withSchema(prompt: string, schema: JsonSchema): string {
  return `${prompt}\n\n${reportPrompt(schema)}`
}

/** `--json-schema`. @throws OffshootError `usage` for what is no JSON Schema. */
export function readSchema(text: string): JsonSchema {
  const schema = parsed(text)
  const checker = schemaChecker(schema as JsonSchema)
  if (typeof checker !== 'string') return schema as JsonSchema
  throw new OffshootError('usage', `--json-schema: ${checker}`, { hint: EXAMPLE })
}

const EXAMPLE = `for example --json-schema '{"type": "object", "properties": {"port": {"type": "integer"}}}'`

const OF_A_FILE = 'it takes the schema as text: --json-schema "$(cat FILE)"'

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (cause) {
    throw new OffshootError('usage', `--json-schema is not JSON: ${errorMessage(cause)}`, {
      hint: /^\s*[[{]/.test(text) ? EXAMPLE : OF_A_FILE,
      cause,
    })
  }
  throw new OffshootError('usage', '--json-schema is not a JSON object', { hint: EXAMPLE })
}
