import type { ParsedPart } from '../../../src/agents/agent-format.ts'
import { formatOf } from '../../../src/agents/foreign/formats.ts'
import type { Action, AgentDefinition } from '../../../src/core/agent.ts'
import { strangerProblem } from '../../../src/core/rules/unknown-tool.ts'
import { toolSpelled } from '../../../src/core/rules/tool-names.ts'
import { callOf, decide, levelOf } from '../../../src/permissions/fixtures/example-workspace.ts'
import { builtinTools } from '../../../src/tools/builtin-tools.ts'
import type { Random } from '../../sim/random.ts'
import { nearName } from '../mutate.ts'
import { hold, type Target } from '../target.ts'
import { FILES } from './agents.ts'

type Kind = keyof typeof FILES

/** One field that restricts the agent, as it is meant and as it is written. */
type Input = {
  readonly kind: Kind
  readonly key: string
  readonly value: string
  readonly writtenKey: string
  readonly writtenValue: string
}

type Fields = Readonly<Record<string, string>>

/** Fields that restrict an agent, by the kind of its file, in the syntax of that file. */
const RESTRICTING: Readonly<Record<Kind, Fields>> = {
  offshoot: {
    tools: '[read, grep]',
    disallowedTools: '[write, edit, bash]',
    permissions: '[{tool: bash, action: deny}, {tool: write, action: ask}]',
    spawns: '[explore]',
    maxTurns: '5',
    maxCostUsd: '0.5',
    timeoutMs: '60000',
  },
  claude: {
    tools: 'Read, Grep',
    disallowedTools: 'Write, Edit, Bash',
    permissions: '{deny: [Bash, Write], ask: [WebFetch]}',
    permissionMode: 'plan',
    maxTurns: '5',
  },
  opencode: opencodeFields(),
  'opencode-config': opencodeFields(),
  codex: { sandbox_mode: '"read-only"' },
  gemini: { tools: '[read_file, grep_search]', max_turns: '5', timeout_mins: '2' },
  cursor: { readonly: 'true', tools: 'Read, Grep', disallowedTools: 'Write, Bash' },
  copilot: { tools: '[read, search]', agents: '[explore]' },
}

function opencodeFields(): Fields {
  return {
    tools: '{"write": false, "bash": false}',
    permission: '{"bash": "deny", "edit": "ask"}',
    steps: '5',
  }
}

/** Other words that people use for a field. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  tools: ['allowedTools', 'allowed_tools', 'allowed-tools', 'toolz', 'tool'],
  disallowedTools: ['disalowedTools', 'disallowed_tools', 'disallowedTool'],
  permissions: ['permission', 'permisions', 'Permissions'],
  permission: ['permissions', 'permision'],
  permissionMode: ['permission_mode', 'permissonMode'],
  maxTurns: ['maxIterations', 'max_turns', 'maxTurn'],
  max_turns: ['maxTurns', 'maxIterations'],
  steps: ['maxSteps', 'step'],
  readonly: ['readOnly', 'read_only', 'read-only'],
  sandbox_mode: ['sandbox-mode', 'sandboxMode', 'sandbox_mod'],
}

/** What stands in brackets or after a colon of a pattern is the author's own. */
const WORDS =
  /\b(?:read|grep|write|edit|bash|webfetch|read_file|grep_search|search|deny|ask|plan|read-only|true|false)\b/gi

/** A field that restricts an agent, misspelt: it restricts all the same, or somebody is told. */
export const restrictions: Target<Input> = {
  name: 'restrictions',
  limitMs: 500,
  fixed: ['kind', 'key', 'value', 'writtenKey', 'writtenValue'],
  generate(random) {
    const kind = random.pick(Object.keys(FILES) as Kind[])
    const [key, value] = random.pick(Object.entries(RESTRICTING[kind]))
    const isKey = random.chance(0.6)
    return {
      kind,
      key,
      value,
      writtenKey: isKey ? otherKey(random, key) : key,
      writtenValue: isKey ? value : otherValue(random, value),
    }
  },
  run({ kind, key, value, writtenKey, writtenValue }) {
    const [meant] = parse(kind, key, value)
    if (meant === undefined || 'skipped' in meant)
      throw new Error(`the file of ${kind} with ${key} is no agent`)
    const written = fileOf(kind, writtenKey, writtenValue)
    for (const part of parse(kind, writtenKey, writtenValue)) {
      if ('skipped' in part) continue
      const wider = widened(meant.agent, part.agent)
      const isTold = part.warnings.some((warning) => warning.includes(writtenKey) || warning.includes(key))
      hold(wider.length === 0 || isTold, `${key} of ${kind} is lost, and nobody is told`, () =>
        JSON.stringify({ kind, key, wider, warnings: part.warnings, written }),
      )
    }
  },
}

function otherKey(random: Random, key: string): string {
  const other = random.chance(0.7) ? nearName(random, key) : random.pick(SYNONYMS[key] ?? [key])
  return /^[A-Za-z_][\w-]*$/.test(other) ? other : `${key}s`
}

/** One word misspelt, or a value of another type. None at all is left out: it says nothing. */
function otherValue(random: Random, value: string): string {
  const words = [...value.matchAll(WORDS)]
  const word = words.length > 0 && random.chance(0.7) ? random.pick(words) : undefined
  if (word === undefined)
    return random.pick([
      ...(/^[\d.]+$/.test(value) ? [] : ['7.5']),
      'true',
      '"x y"',
      '[[]]',
      '[1, true]',
      '{"a": 1}',
      '-1',
      '"5 turns"',
    ])
  const slip = nearName(random, word[0])
  return value.slice(0, word.index) + (slip === '' ? 'x' : slip) + value.slice(word.index + word[0].length)
}

function parse(kind: Kind, key: string, value: string): readonly ParsedPart[] {
  return formatOf(FILES[kind])
    .parse(fileOf(kind, key, value), FILES[kind])
    .map(refused)
}

/** As where agents are loaded: one that names a tool that nobody has is none. */
function refused(part: ParsedPart): ParsedPart {
  const problems = (part.strangers ?? []).map((stranger) => strangerProblem(stranger, { names: [] }))
  const problem = problems.find((each) => each !== null)
  return problem ? { skipped: problem, warnings: part.warnings } : part
}

function fileOf(kind: Kind, key: string, value: string): string {
  if (kind === 'codex') return `name = "a"\ndescription = "b"\n${key} = ${value}\n`
  if (kind === 'opencode-config')
    return `{"agent": {"a": {"description": "b", "prompt": "c", ${JSON.stringify(key)}: ${value}}}}`
  return `---\nname: a\ndescription: b\n${key}: ${value}\n---\nc\n`
}

const CALLS: readonly (readonly [tool: string, argument: string])[] = [
  ['bash', 'git status'],
  ['bash', 'rm -r x'],
  ['read', 'src/a.ts'],
  ['read', 'secrets/a'],
  ['grep', '.'],
  ['glob', '.'],
  ['list', '.'],
  ['write', 'src/a.ts'],
  ['edit', 'src/a.ts'],
  ['webfetch', 'example.com'],
  ['task', 'explore'],
  ['task', 'other'],
]

const RANK: Readonly<Record<Action, number>> = { deny: 0, ask: 1, allow: 2 }
const LIMITS = ['maxTurns', 'maxCostUsd', 'timeoutMs'] as const

/** What `agent` may do and `meant` may not, where the user allows everything. */
function widened(meant: AgentDefinition, agent: AgentDefinition): string[] {
  const calls = CALLS.filter(
    ([tool, argument]) => RANK[may(agent, tool, argument)] > RANK[may(meant, tool, argument)],
  )
  const limits = LIMITS.filter((name) => (agent[name] ?? Infinity) > (meant[name] ?? Infinity))
  return [...calls.map((call) => call.join(' ')), ...limits]
}

const TOOLSETS = new Map(builtinTools().map(({ name, toolset }) => [name, toolset]))

function may(agent: AgentDefinition, tool: string, argument: string): Action {
  const { tools, disallowedTools = [], permissions = [], spawns } = agent
  const isListed = (names: readonly string[]) =>
    names
      .map((name) => toolSpelled(name) ?? name)
      .some((name) => name === '*' || name === tool || name === (TOOLSETS.get(tool) ?? 'agents'))
  if ((tools && !isListed(tools)) || isListed(disallowedTools)) return 'deny'
  if (tool === 'task' && spawns && !spawns.includes(argument)) return 'deny'
  const user = levelOf('user', [{ tool: '*', action: 'allow' }])
  return decide(callOf(tool, argument), [user, levelOf('agent', permissions)]).action
}
