import { stringify } from 'smol-toml'
import type { AgentDefinition, Rule } from '../../core/agent.ts'
import type { Json } from '../../core/json.ts'
import { unreachable } from '../../core/errors.ts'
import { markdown, type WrittenAgent } from '../write-agent.ts'
import type { ForeignFormat } from '../agent-format.ts'
import { listed, unique } from './name-list.ts'
import { READ_ONLY } from '../read-only.ts'
import { opencodeTools } from './tool-names.ts'

type Key = readonly [string, Json | undefined]

/** An agent as a file of another program, and what that file cannot express. */
export function exportAgent(agent: AgentDefinition, format: ForeignFormat): WrittenAgent {
  const draft = new Draft(agent)
  const keys = keysFor(agent, format, draft)
  const taken = new Set(keys.map(([key]) => key))
  const kept = Object.entries(agent.extra ?? {}).filter(
    ([key]) => !taken.has(key) || valueOf(keys, key) === undefined,
  )
  const all = [...keys.filter(([key]) => !kept.some(([other]) => other === key)), ...kept]
  const text = format === 'codex' ? toml(all, agent.prompt) : markdown(all, agent.prompt)
  return { text, lost: draft.lost() }
}

/** The fields of an agent; fields that no key of the format uses are lost. */
class Draft {
  readonly #agent: AgentDefinition
  readonly #rules = new Set<Rule>()
  readonly #taken = new Set<string>(['name', 'description', 'prompt', 'extra', 'source'])
  readonly #changed: string[] = []

  constructor(agent: AgentDefinition) {
    this.#agent = agent
  }

  take<K extends keyof AgentDefinition>(field: K): AgentDefinition[K] {
    this.#taken.add(field)
    return this.#agent[field]
  }

  /** Whether a tool is listed by its own name. */
  names(tool: string): boolean {
    return this.#agent.tools?.includes(tool) ?? false
  }

  get rules(): readonly Rule[] {
    return this.#agent.permissions ?? []
  }

  /** Rules that the format can express. */
  takeRules(fits: (rule: Rule) => boolean): readonly Rule[] {
    const rules = this.rules.filter((rule) => !this.#rules.has(rule) && fits(rule))
    for (const rule of rules) this.#rules.add(rule)
    return rules
  }

  changed(message: string): void {
    this.#changed.push(message)
  }

  lost(): string[] {
    const rules = this.rules.filter((rule) => !this.#rules.has(rule))
    const fields = Object.entries(this.#agent)
      .filter(([name, value]) => value !== undefined && name !== 'permissions' && !this.#taken.has(name))
      .map(([name]) => name)
    return [
      ...(fields.length > 0 ? [`left out: ${listed(fields)}`] : []),
      ...rules.map(
        ({ tool, pattern, action }) => `left out the rule: ${action} ${tool}${pattern ? ` ${pattern}` : ''}`,
      ),
      ...this.#changed,
    ]
  }
}

function keysFor(agent: AgentDefinition, format: ForeignFormat, draft: Draft): readonly Key[] {
  const identity: Key[] = [
    ['name', agent.name],
    ['description', agent.description],
  ]
  switch (format) {
    case 'claude':
      return [...identity, ...claudeKeys(draft)]
    case 'opencode':
      return [...identity, ...opencodeKeys(draft)]
    case 'codex':
      return [...identity, ...codexKeys(draft)]
    case 'gemini':
      return [...identity, ...geminiKeys(draft)]
    case 'cursor':
      return [...identity, ...cursorKeys(draft)]
    case 'copilot':
      return [...identity, ...copilotKeys(draft)]
    default:
      return unreachable(format)
  }
}

function claudeKeys(draft: Draft): Key[] {
  const spawns = draft.take('spawns')
  const partial = new Map(
    ['bash', 'webfetch'].map((tool) => [CLAUDE[tool]![0]!, partialPatterns(draft, tool)]),
  )
  const tools = toolNames(draft, CLAUDE)?.flatMap((name) =>
    name === 'Agent' && spawns
      ? [`Agent(${spawns.join(', ')})`]
      : (partial.get(name)?.map((pattern) => `${name}(${pattern})`) ?? [name]),
  )
  const denied = draft.takeRules(
    ({ tool, pattern, action }) => tool === 'bash' && pattern !== undefined && action === 'deny',
  )
  const disallowed = [
    ...(draft.take('disallowedTools') ?? []).flatMap((tool) => named(tool, CLAUDE)),
    ...denied.map(({ pattern }) => `Bash(${pattern})`),
  ]
  return [
    ['tools', tools],
    ['disallowedTools', disallowed.length > 0 ? disallowed : undefined],
    ['model', model(draft, 'anthropic', 'haiku')],
    ['maxTurns', draft.take('maxTurns')],
    ['effort', draft.take('effort')],
    ['background', draft.take('background')],
    ['isolation', draft.take('isolation') === 'worktree' ? 'worktree' : undefined],
    ['skills', draft.take('skills')],
    ['mcpServers', draft.take('mcpServers')],
  ]
}

/** The patterns of a tool that is otherwise denied and has no other rule; removes them. */
function partialPatterns(draft: Draft, tool: string): string[] | undefined {
  if (!draft.names(tool)) return undefined
  const [first, ...rest] = draft.rules.filter((rule) => rule.tool === tool && rule.action !== 'ask')
  const allowed = rest.filter(({ action }) => action === 'allow')
  if (
    first?.action !== 'deny' ||
    first.pattern !== undefined ||
    rest.some(({ pattern }) => pattern === undefined)
  )
    return undefined
  const taken = [first, ...allowed]
  draft.takeRules((rule) => taken.includes(rule))
  return allowed.map(({ pattern }) => (tool === 'webfetch' ? `domain:${pattern}` : pattern!))
}

function opencodeKeys(draft: Draft): Key[] {
  const only = draft.take('tools')
  const without = draft.take('disallowedTools') ?? []
  const map = [
    ...(only ? ['*'].map((name): [string, boolean] => [name, false]) : []),
    ...(only ?? []).flatMap((tool) => named(tool, OPENCODE)).map((name): [string, boolean] => [name, true]),
    ...without.flatMap((tool) => named(tool, OPENCODE)).map((name): [string, boolean] => [name, false]),
  ]
  const bash = draft.takeRules(({ tool, pattern }) => tool === 'bash' && !pattern?.includes('?'))
  const patterns = bash.map(({ pattern = '*', action }) => [pattern, action] as const)
  return [
    ['mode', 'subagent'],
    ['model', model(draft)],
    ['steps', draft.take('maxTurns')],
    ['reasoningEffort', draft.take('effort')],
    ['tools', map.length > 0 ? Object.fromEntries(map) : undefined],
    ['permission', patterns.length > 0 ? { bash: Object.fromEntries(lastOfEach(patterns)) } : undefined],
  ]
}

/** A repeated key keeps its first position and its last value. */
function lastOfEach<V>(entries: readonly (readonly [string, V])[]): (readonly [string, V])[] {
  return entries.filter(([key], at) => entries.findLastIndex(([other]) => other === key) === at)
}

function codexKeys(draft: Draft): Key[] {
  return [
    ['model', model(draft, 'openai')],
    ['model_reasoning_effort', draft.take('effort')],
    ['sandbox_mode', isReadOnly(draft) ? 'read-only' : undefined],
  ]
}

function geminiKeys(draft: Draft): Key[] {
  const timeoutMs = draft.take('timeoutMs')
  return [
    ['kind', 'local'],
    ['tools', toolNames(draft, GEMINI)],
    ['model', model(draft, 'google')],
    ['max_turns', draft.take('maxTurns')],
    ['timeout_mins', timeoutMs === undefined ? undefined : timeoutMs / 60_000],
  ]
}

function cursorKeys(draft: Draft): Key[] {
  return [
    ['model', model(draft, undefined, 'fast')],
    ['readonly', isReadOnly(draft) ? true : undefined],
    ['is_background', draft.take('background')],
  ]
}

function copilotKeys(draft: Draft): Key[] {
  const tools = draft.take('tools')
  return [
    ['tools', tools && unique(tools.flatMap((tool) => named(tool, COPILOT)))],
    ['agents', draft.take('spawns')],
    ['model', model(draft)],
  ]
}

/** The equivalent of `readonly` and of a read-only sandbox; only as a whole. */
function isReadOnly(draft: Draft): boolean {
  const fits = ({ tool, pattern, action }: Rule) =>
    pattern === undefined && READ_ONLY.some((rule) => rule.tool === tool && rule.action === action)
  const found = draft.rules.filter(fits).map(({ tool }) => tool)
  const isWhole = READ_ONLY.every(({ tool }) => found.includes(tool))
  if (isWhole) draft.takeRules(fits)
  return isWhole
}

type Names = Readonly<Record<string, readonly string[]>>

const FILES = ['read', 'write', 'edit', 'list', 'glob', 'grep']
const TOOLSETS: Names = {
  files: FILES,
  shell: ['bash'],
  web: ['webfetch', 'websearch'],
  planning: ['todo'],
  agents: ['task'],
}

const CLAUDE: Names = {
  read: ['Read'],
  write: ['Write'],
  edit: ['Edit'],
  list: ['LS'],
  glob: ['Glob'],
  grep: ['Grep'],
  bash: ['Bash'],
  webfetch: ['WebFetch'],
  websearch: ['WebSearch'],
  todo: ['TodoWrite'],
  task: ['Agent'],
  ask_user: ['AskUserQuestion'],
}
const GEMINI: Names = {
  read: ['read_file'],
  write: ['write_file'],
  edit: ['replace'],
  list: ['list_directory'],
  glob: ['glob'],
  grep: ['grep_search'],
  bash: ['run_shell_command'],
  webfetch: ['web_fetch'],
  websearch: ['google_web_search'],
  todo: ['write_todos'],
  ask_user: ['ask_user'],
}
const COPILOT: Names = {
  ...CLAUDE,
  read: ['read'],
  write: ['createFile'],
  list: ['listDirectory'],
  glob: ['fileSearch'],
  grep: ['textSearch'],
  bash: ['execute'],
  webfetch: ['fetch'],
  websearch: ['WebSearch'],
  todo: ['todo'],
  task: ['agent'],
}
const OPENCODE: Names = Object.fromEntries(
  Object.keys(opencodeTools)
    .filter((name) => opencodeTools[name]!.includes(name))
    .map((name) => [name, [name]]),
)

function toolNames(draft: Draft, names: Names): string[] | undefined {
  const tools = draft.take('tools')
  return tools && unique(tools.flatMap((tool) => named(tool, names)))
}

/** Their name for ours; unknown names are already theirs. */
function named(tool: string, names: Names): readonly string[] {
  const tools = Object.hasOwn(TOOLSETS, tool) ? TOOLSETS[tool]! : [tool]
  return tools.flatMap((each) => (Object.hasOwn(names, each) ? names[each]! : [each]))
}

/** The id without the provider for a model of the format's own provider; the full id if the format accepts all. */
function model(draft: Draft, provider?: string, small?: string): string | undefined {
  const id = draft.take('model')
  if (id === undefined || id === 'inherit') return id
  if (id === 'small' && small !== undefined) return small
  if (provider !== undefined && id.startsWith(`${provider}/`)) return id.slice(provider.length + 1)
  if (provider === undefined && id.includes('/')) return id
  draft.changed(`left out: the model ${id}, which the format cannot name`)
  return undefined
}

function toml(keys: readonly Key[], prompt: string): string {
  return `${stringify(withoutNulls(Object.fromEntries([...keys, ['developer_instructions', prompt]])))}\n`
}

/** TOML has no null and no lone surrogates. */
function withoutNulls(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, item]) => item !== undefined && item !== null)
  return Object.fromEntries(entries.map(([key, item]) => [key.toWellFormed(), withoutNulls(item!)]))
}

function valueOf(keys: readonly Key[], key: string): Json | undefined {
  return keys.find(([name]) => name === key)?.[1]
}
