import { parse, TomlError } from 'smol-toml'
import type { Rule } from '../../core/agent.ts'
import type { Json } from '../../core/json.ts'
import type { AgentFormat } from '../agent-format.ts'
import { plainData } from '../front-matter.ts'
import type { ParsedDefinition } from '../parse-definition.ts'
import { serverNames } from './claude.ts'
import { READ_ONLY } from '../read-only.ts'
import { ForeignFields } from './foreign-fields.ts'

/** `.codex/agents`: https://developers.openai.com/codex/subagents */
export const codexFormat: AgentFormat = {
  name: 'codex',
  parse: (text, path) => [parseCodex(text, path)],
}

const MAX_DEPTH = 32

function parseCodex(text: string, path: string): ParsedDefinition {
  const fields = readToml(text)
  if (typeof fields === 'string') return { skipped: fields, warnings: [] }
  const foreign = new ForeignFields(fields, { lineOf: ([key]) => lineOfKey(text, String(key)) })
  const prompt = foreign.take('developer_instructions', 'instructions')
  return foreign.agent(path, typeof prompt === 'string' ? prompt.trim() : '', {
    permissions: sandboxRules(foreign),
    model: foreign.take('model'),
    effort: foreign.take('model_reasoning_effort'),
    mcpServers: serverNames(foreign),
  })
}

function sandboxRules(foreign: ForeignFields): readonly Rule[] | undefined {
  const mode = foreign.takeStrict('sandbox_mode')
  if (mode === undefined) return undefined
  foreign.keep('sandbox_mode', mode)
  if (mode === 'read-only') return READ_ONLY
  if (mode === 'danger-full-access')
    foreign.ignore('sandbox_mode is ignored: an agent file cannot allow more than your own rules do')
  else if (mode !== 'workspace-write') foreign.fail('its sandbox_mode is unknown', 'sandbox_mode')
  return undefined
}

function readToml(text: string): Map<string, Json> | string {
  try {
    const table = parse(text.replace(/^\ufeff/, ''), { maxDepth: MAX_DEPTH })
    return new Map(Object.entries(table).map(([key, value]) => [key, plainData(value)]))
  } catch (error) {
    if (error instanceof TomlError) return `it is not valid TOML (line ${error.line})`
    return 'it is not valid TOML'
  }
}

/** The parser does not report the line of a key. */
function lineOfKey(text: string, key: string): number {
  return text.split('\n').findIndex((line) => line.trimStart().startsWith(key)) + 1 || 1
}
