import type { Rule } from '../../core/agent.ts'
import type { Json } from '../../core/json.ts'
import type { AgentFormat } from '../agent-format.ts'
import type { ParsedDefinition } from '../parse-definition.ts'
import { opencodeRules, toolsOfKey } from './opencode-permissions.ts'
import { isTrue } from './remaining-restrictions.ts'
import { isMap, foreignFieldsOf, type ForeignFields } from './foreign-fields.ts'
import { listed, someOf, unique } from './name-list.ts'
import { allowedOf, deniedOf, keptNames, readToolList, refuseNear } from './tool-list.ts'
import { opencodeTools } from './tool-names.ts'

/** `.opencode/agent(s)`: https://opencode.ai/docs/agents */
export const opencodeFormat: AgentFormat = {
  name: 'opencode',
  parse: (text, path) => {
    const foreign = foreignFieldsOf(text)
    return [
      typeof foreign === 'string'
        ? { skipped: foreign, warnings: [] }
        : opencodeAgent(foreign, foreign.body, path),
    ]
  },
}

/** The same keys in a Markdown file and in `opencode.json`. */
export function opencodeAgent(foreign: ForeignFields, prompt: string, path: string): ParsedDefinition {
  if (isTrue(foreign.take('disable', 'disabled'))) foreign.fail('it is disabled')
  takeMode(foreign)
  const tools = foreign.takeStrict('tools')
  const {
    only,
    without,
    spawns,
    listedRules = [],
  } = isMap(tools) ? ofToolMap(tools, foreign) : ofToolList(tools, foreign)
  const denied = deniedOf(foreign, opencodeTools)
  const rules = [...opencodeRules(foreign), ...listedRules, ...denied.rules]
  return foreign.agent(path, prompt, {
    tools: only,
    disallowedTools: someOf(unique([...(without ?? []), ...denied.tools])),
    spawns,
    permissions: someOf(rules),
    model: foreign.take('model'),
    effort: foreign.take('reasoningEffort'),
    temperature: foreign.take('temperature'),
    maxTurns: foreign.take('steps', 'maxSteps'),
  })
}

interface Tools {
  readonly only?: readonly string[] | undefined
  readonly without?: readonly string[] | undefined
  readonly spawns?: readonly string[] | undefined
  /** From a list that names only some calls of a tool. */
  readonly listedRules?: readonly Rule[]
}

/** All agents here are `subagent` or `all`; any other mode is unknown. */
function takeMode(foreign: ForeignFields): void {
  const mode = foreign.peek('mode')
  if (mode === 'subagent' || mode === 'all') foreign.take('mode')
  if (mode !== 'primary') return
  foreign.keep('mode', foreign.take('mode')!)
  foreign.ignore('mode is ignored: other agents can start it here')
}

/** Files of other programs have a list, which opencode itself does not use. */
function ofToolList(value: Json | undefined, foreign: ForeignFields): Tools {
  const { tools, spawns, rules } = allowedOf(readToolList(value, 'tools', foreign), 'tools', foreign)
  return { only: tools, spawns, listedRules: rules }
}

const OURS = unique(Object.values(opencodeTools).flat())

/**
 * `{write: false}` removes a tool, `{"*": false, read: true}` keeps only the named ones; the last matching key decides.
 * A tool without its own key follows the key whose permission it shares.
 */
function ofToolMap(map: { readonly [key: string]: Json | undefined }, foreign: ForeignFields): Tools {
  const given = new Map<string, boolean>()
  const refused = new Set<string>()
  const unknown: string[] = []
  for (const [key, value] of Object.entries(map)) {
    if (typeof value !== 'boolean')
      foreign.fail(`its tool ${key.slice(0, 64)} is neither true nor false`, 'tools')
    const tools = key === '*' ? OURS : toolsOfKey(key)
    if (tools.length === 0 && value === true) unknown.push(key)
    for (const tool of tools) given.set(tool, value === true)
    if (value === false && tools.includes(key)) refused.add(key)
    else if (value === true && !key.includes('*')) refused.delete(key)
  }
  if (unknown.length > 0) foreign.ignore(`tools: not available here: ${listed(unknown)}`)
  const has = (tool: string) => given.get(tool) !== false && !refused.has(tool)
  if (map['*'] === false) return { only: OURS.filter((tool) => given.get(tool) === true && has(tool)) }
  refuseNear(
    { unknown: Object.keys(map).filter((key) => map[key] === false && toolsOfKey(key).length === 0) },
    'tools',
    foreign,
  )
  const theirs = Object.keys(map).filter((key) => map[key] === false && toolsOfKey(key).length === 0)
  const without = [...OURS.filter((tool) => !has(tool)), ...keptNames(theirs)]
  return without.length > 0 ? { without } : {}
}
