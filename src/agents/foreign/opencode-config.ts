import { findNodeAtLocation, parseTree, type Node, type ParseError } from 'jsonc-parser'
import type { Json } from '../../core/json.ts'
import type { AgentFormat, ParsedPart } from '../agent-format.ts'
import { opencodeAgent } from './opencode.ts'
import { isMap, ForeignFields } from './foreign-fields.ts'

const MAX_AGENTS = 200
const MAX_DEPTH = 32

/** The agents in `opencode.json` and `opencode.jsonc`: https://opencode.ai/docs/agents */
export const opencodeConfigFormat: AgentFormat = {
  name: 'opencode',
  parse: (text, path) => {
    const config = readJson(text)
    if (typeof config === 'string') return [{ skipped: config, warnings: [] }]
    const agents = isMap(config) ? (config.agent ?? config.agents ?? {}) : undefined
    if (!isMap(agents)) return [{ skipped: 'it has no readable agents', warnings: [] }]
    const entries = Object.entries(agents)
    const parts = entries.slice(0, MAX_AGENTS).map(([name, value]) => onePart(name, value, path, text))
    return entries.length > MAX_AGENTS
      ? [...parts, { skipped: `it has more than ${MAX_AGENTS} agents; the rest are skipped`, warnings: [] }]
      : parts
  },
}

function onePart(name: string, value: Json | undefined, path: string, text: string): ParsedPart {
  const part = `agent ${name.slice(0, 64)}`
  if (!isMap(value)) return { part, skipped: 'it is not an object', warnings: [] }
  const fields = new Map<string, Json>([...Object.entries(value), ['name', name]] as [string, Json][])
  const foreign = new ForeignFields(fields, { lineOf: (keys) => lineOfKeys(text, name, keys) })
  const { prompt, warning } = promptOf(foreign.take('prompt', 'system'))
  if (warning) foreign.ignore(warning)
  return { part, ...opencodeAgent(foreign, prompt, `${path}#${name}`) }
}

/** The agent itself reads a file that replaces its prompt, so that its rules decide whether it may. */
function promptOf(value: Json | undefined): { readonly prompt: string; readonly warning?: string } {
  const prompt = typeof value === 'string' ? value.trim() : ''
  const file = /^\{file:([^}]*)\}$/.exec(prompt)?.[1]?.trim()
  if (file === undefined) return { prompt }
  return {
    prompt: `Your role is written in the file ${JSON.stringify(file)}. Read it before anything else and act on it.`,
    warning: 'the prompt is in another file, which the agent must read itself',
  }
}

/** Returns a sentence for invalid JSON. Never throws, at any depth. */
function readJson(text: string): Json | string {
  try {
    const errors: ParseError[] = []
    const tree = parseTree(text.replace(/^\ufeff/, ''), errors, { allowTrailingComma: true })
    if (!tree || errors.length > 0)
      return `it is not valid JSON${errors[0] ? lineOf(text, errors[0].offset) : ''}`
    return valueOf(tree, 0)
  } catch (error) {
    if (error instanceof RangeError) return `it is nested deeper than ${MAX_DEPTH} levels`
    throw error
  }
}

function lineOfKeys(text: string, name: string, keys: readonly PropertyKey[]): number {
  const tree = parseTree(text)
  const path = [name, ...keys] as string[]
  const node =
    tree && (findNodeAtLocation(tree, ['agent', ...path]) ?? findNodeAtLocation(tree, ['agents', ...path]))
  return text.slice(0, node?.offset ?? 0).split('\n').length
}

function lineOf(text: string, offset: number): string {
  return ` (line ${text.slice(0, offset).split('\n').length})`
}

/** The parser's own values lose keys such as `__proto__`. */
function valueOf(node: Node, depth: number): Json {
  if (depth > MAX_DEPTH) throw new RangeError()
  const children = node.children ?? []
  if (node.type === 'array') return children.map((child) => valueOf(child, depth + 1))
  if (node.type !== 'object') return node.value as Json
  return Object.fromEntries(
    children.map(({ children: pair }) => [pair![0]!.value as string, valueOf(pair![1]!, depth + 1)]),
  )
}
