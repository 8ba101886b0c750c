import type { AgentFormat } from '../agent-format.ts'
import type { ParsedDefinition } from '../parse-definition.ts'
import { serverNames } from './claude.ts'
import { someOf } from './name-list.ts'
import { foreignFieldsOf, type ForeignFields } from './foreign-fields.ts'
import { allowedOf, deniedOf, readToolList } from './tool-list.ts'
import { copilotTools } from './tool-names.ts'

/**
 * `.github/agents`: https://docs.github.com/en/copilot/reference/custom-agents-configuration,
 * https://code.visualstudio.com/docs/agents/reference/custom-agent-file-reference
 */
export const copilotFormat: AgentFormat = {
  name: 'copilot',
  parse: (text, path) => [parseCopilot(text, path)],
}

function parseCopilot(text: string, path: string): ParsedDefinition {
  const foreign = foreignFieldsOf(text)
  if (typeof foreign === 'string') return { skipped: foreign, warnings: [] }
  const allowed = allowedOf(
    readToolList(foreign.take('tools'), 'tools', foreign, copilotTools),
    'tools',
    foreign,
  )
  const denied = deniedOf(foreign, copilotTools)
  return foreign.agent(path, foreign.body, {
    tools: allowed.tools,
    disallowedTools: someOf(denied.tools),
    spawns: allowed.spawns ?? agentNames(foreign),
    permissions: someOf([...allowed.rules, ...denied.rules]),
    model: firstModel(foreign),
    mcpServers: serverNames(foreign),
  })
}

/** `agents: [a, b]` are those that it may start; without it, or with `*`, its tools decide. */
function agentNames(foreign: ForeignFields): readonly string[] | undefined {
  const given = foreign.takeStrict('agents')
  const names = typeof given === 'string' ? given.split(',').map((name) => name.trim()) : given
  if (names === undefined) return undefined
  if (!Array.isArray(names)) {
    foreign.fail('its agents cannot be read: expected a list of names', 'agents')
    return []
  }
  if (names.includes('*')) return undefined
  const startable = names.filter((name) => typeof name === 'string' && /^\S+$/.test(name))
  if (startable.length < names.length) foreign.ignore('agents: names with spaces are left out')
  return startable as string[]
}

/** Copilot tries several in turn. */
function firstModel(foreign: ForeignFields) {
  const model = foreign.take('model')
  if (!Array.isArray(model)) return model
  if (model.length > 1) foreign.ignore('it lists several models; only the first is used')
  return model[0]
}
