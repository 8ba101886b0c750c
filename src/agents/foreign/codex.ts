import { parse, TomlError } from 'smol-toml'
import type { Rule } from '../../core/agent.ts'
import type { Json } from '../../core/json.ts'
import type { AgentFormat } from '../agent-format.ts'
import { plainData } from '../front-matter.ts'
import type { ParsedDefinition } from '../parse-definition.ts'
import { serverNames } from './claude.ts'
import { READ_ONLY } from '../read-only.ts'
import { Sheet } from './foreign-fields.ts'

/** `.codex/agents`: https://developers.openai.com/codex/subagents */
export const codexFormat: AgentFormat = {
  name: 'codex',
  extensions: ['.toml'],
  parse: (text, path) => [parseCodex(text, path)],
}

const MAX_DEPTH = 32

function parseCodex(text: string, path: string): ParsedDefinition {
  const fields = readToml(text)
  if (typeof fields === 'string') return { skipped: fields, warnings: [] }
  const sheet = new Sheet(fields, { lineOf: ([key]) => lineOfKey(text, String(key)) })
  const prompt = sheet.take('developer_instructions', 'instructions')
  return sheet.agent(path, typeof prompt === 'string' ? prompt.trim() : '', {
    permissions: sandboxRules(sheet),
    model: sheet.take('model'),
    effort: sheet.take('model_reasoning_effort'),
    mcpServers: serverNames(sheet),
  })
}

function sandboxRules(sheet: Sheet): readonly Rule[] | undefined {
  const mode = sheet.takeStrict('sandbox_mode')
  if (mode === undefined) return undefined
  sheet.keep('sandbox_mode', mode)
  if (mode === 'read-only') return READ_ONLY
  if (mode === 'danger-full-access')
    sheet.ignore('sandbox_mode is ignored: an agent file cannot give more than your own rules do')
  else if (mode !== 'workspace-write') sheet.fail('its sandbox_mode is not known', 'sandbox_mode')
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

/** The parser does not say where a key is. */
function lineOfKey(text: string, key: string): number {
  return text.split('\n').findIndex((line) => line.trimStart().startsWith(key)) + 1 || 1
}
