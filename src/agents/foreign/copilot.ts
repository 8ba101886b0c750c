import type { AgentFormat } from '../agent-format.ts'
import type { ParsedDefinition } from '../parse-definition.ts'
import { serverNames } from './claude.ts'
import { someOf } from './name-list.ts'
import { sheetOf, type Sheet } from './foreign-fields.ts'
import { allowedOf, deniedOf, readToolList } from './tool-list.ts'
import { copilotTools } from './tool-names.ts'

/**
 * `.github/agents`: https://docs.github.com/en/copilot/reference/custom-agents-configuration,
 * https://code.visualstudio.com/docs/agents/reference/custom-agent-file-reference
 */
export const copilotFormat: AgentFormat = {
  name: 'copilot',
  extensions: ['.md'],
  parse: (text, path) => [parseCopilot(text, path)],
}

function parseCopilot(text: string, path: string): ParsedDefinition {
  const sheet = sheetOf(text)
  if (typeof sheet === 'string') return { skipped: sheet, warnings: [] }
  const allowed = allowedOf(readToolList(sheet.take('tools'), 'tools', sheet, copilotTools), 'tools', sheet)
  const denied = deniedOf(sheet, copilotTools)
  return sheet.agent(path, sheet.body, {
    tools: allowed.tools,
    disallowedTools: someOf(denied.tools),
    spawns: allowed.spawns ?? agentNames(sheet),
    permissions: someOf([...allowed.rules, ...denied.rules]),
    model: firstModel(sheet),
    mcpServers: serverNames(sheet),
  })
}

/** `agents: [a, b]` are those that it may start; without, or with `*`, it is its tools that say so. */
function agentNames(sheet: Sheet): readonly string[] | undefined {
  const given = sheet.takeStrict('agents')
  const names = typeof given === 'string' ? given.split(',').map((name) => name.trim()) : given
  if (names === undefined) return undefined
  if (!Array.isArray(names)) {
    sheet.fail('its agents cannot be read: expected a list of names', 'agents')
    return []
  }
  if (names.includes('*')) return undefined
  const startable = names.filter((name) => typeof name === 'string' && /^\S+$/.test(name))
  if (startable.length < names.length) sheet.ignore('agents: names with spaces are left out')
  return startable as string[]
}

/** Several are tried in turn there. */
function firstModel(sheet: Sheet) {
  const model = sheet.take('model')
  if (!Array.isArray(model)) return model
  if (model.length > 1) sheet.ignore('of several models only the first is read')
  return model[0]
}
