import { z } from 'zod'
import type { Rule } from '../core/agent.ts'
import { issueWords } from '../core/issue-words.ts'
import { errorMessage, OffshootError } from '../core/errors.ts'
import { decide } from '../permissions/decide.ts'
import { strangerProblem, type KnownTools } from '../core/rules/unknown-tool.ts'
import { isRule, readRule } from '../core/rules/read-rule.ts'
import { shellItems } from '../permissions/shell/shell-items.ts'
import type { Decision, Level, PermissionCall, PermissionSubject } from '../permissions/types.ts'
import { readDocument } from '../config/config-file.ts'
import { builtinTools } from '../tools/builtin-tools.ts'
import { entryAt } from '../tools/entry-at.ts'
import { filesBelow } from '../tools/files-below.ts'
import { parseInput } from '../tools/parse-input.ts'
import type { AnyTool, Subject, Workspace } from '../tools/port.ts'
import { createRegistry } from '../tools/registry.ts'

/** What the rules of a file say of one call. */
export interface CheckedCall {
  readonly id?: unknown
  readonly tool: string
  readonly decision: Decision['action']
  /** null: no rule decided, but a default or a guard. */
  readonly rule: Rule | null
  readonly layer: string | null
  readonly why: string
}

const list = z.array(z.unknown())
const level = z.union([
  list.transform((rules) => ({ name: undefined, rules })),
  z.looseObject({ name: z.string().optional(), rules: list }),
])
const ruleSet = z.union([
  list.transform((rules) => ({ rules, chain: undefined, default: 'ask' as const })),
  z.looseObject({
    rules: list.optional(),
    chain: z.array(level).min(1).optional(),
    default: z.enum(['ask', 'tools']).default('ask'),
  }),
])

/**
 * The levels of a rules file: a list of rules, `{rules}`, or `{chain: [{name?, rules}, ...]}` with the root first. Where
 * no rule of the root says anything the answer is to ask; with `"default": "tools"` what each tool has as its own.
 * @throws OffshootError `config` that says what is wrong, in which line, and what to write.
 */
export function readRuleSet(text: string, file: string, known: KnownTools): readonly Level[] {
  const { values, where } = parsedRules(text, file)
  return levelsOf(values, (path) => `${where(path)}: ${path.join('.') || 'the file'}`, known)
}

/** Its hint would be about a configuration. */
function parsedRules(text: string, file: string) {
  try {
    return readDocument(text, file)
  } catch (cause) {
    if (!(cause instanceof OffshootError)) throw cause
    throw new OffshootError(cause.code, cause.message, { hint: SHAPES, cause })
  }
}

const EXAMPLE = 'for example { "tool": "bash", "pattern": "git status*", "action": "allow" }'
const SHAPES = 'write a JSON list of rules, {"rules": [...]} or {"chain": [{"name": "...", "rules": [...]}]}'

type Path = readonly (string | number)[]

function levelsOf(value: unknown, where: (path: Path) => string, known: KnownTools): Level[] {
  const { data } = ruleSet.safeParse(value)
  const chain = data?.chain ?? (data?.rules && [{ name: undefined, rules: data.rules }])
  if (!data || !chain) throw new OffshootError('config', `${where([])}: it has no rules`, { hint: SHAPES })
  return chain.map(({ name, rules }, at) => {
    const layer = name ?? (at === 0 ? 'rules' : `level ${at + 1}`)
    const path = pathOf(value, at)
    const own = rules.map((rule, i) => ownRule(rule, [...path, i], where, known))
    const all = at === 0 && data.default === 'ask' ? [ASK, ...own] : own
    return { name: layer, layers: [{ name: layer, rules: all }] }
  })
}

/** Where the rules of a level are written. */
function pathOf(value: unknown, at: number): Path {
  if (Array.isArray(value)) return []
  const { chain } = value as { readonly chain?: readonly unknown[] }
  if (!chain) return ['rules']
  return Array.isArray(chain[at]) ? ['chain', at] : ['chain', at, 'rules']
}

function ownRule(value: unknown, path: Path, where: (path: Path) => string, known: KnownTools): Rule {
  const read = readRule(value)
  const problem = isRule(read)
    ? strangerProblem({ tool: read.tool, kind: 'rule', where: '' }, known)
    : read.problem
  if (isRule(read) && problem === null) return read
  const key = isRule(read) ? 'tool' : read.key
  throw new OffshootError('config', `${where(key === null ? path : [...path, key])}: ${problem}`, {
    hint: EXAMPLE,
  })
}

const ASK: Rule = { tool: '*', action: 'ask' }
const NO_RULE = { said: undefined, why: 'no rule matches, and it asks by default' }

/** What is read of one line; a longer one is refused. */
export const MAX_LINE_CHARS = 1024 * 1024

/** Subjects in words, as the rows of a table have them. */
const subjectSchema = z.union(
  [
    z.string(),
    z.array(z.strictObject({ kind: z.enum(['command', 'path', 'host', 'name']), value: z.string() })),
  ],
  'expected text, or a list such as [{"kind": "command", "value": "ls"}]',
)
const lineSchema = z.looseObject({
  id: z.unknown().optional(),
  tool: z.string().min(1).optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  subject: subjectSchema.optional(),
  arg: z.string().optional(),
  command: z.string().optional(),
  call: z.looseObject({ tool: z.string().min(1), arg: z.string().optional() }).optional(),
  rules: z.array(z.unknown()).optional(),
  chain: z.array(z.unknown()).min(1).optional(),
  interactive: z.boolean().default(true),
})
type Line = z.output<typeof lineSchema>

/** Where calls are decided. */
export interface CheckPlace {
  readonly workspace: Workspace
  /** Tools that agents of the directory are offered as. */
  readonly known: KnownTools
}

/**
 * Decides one call: `{tool, input}` or `{tool, subject}`. A line with `rules` or `chain` of its own is decided by these.
 * @throws OffshootError `usage`, or ToolError for an input that the tool does not take.
 */
export function checkLine(
  text: string,
  levels: readonly Level[],
  { workspace, known }: CheckPlace,
): CheckedCall {
  if (text.length > MAX_LINE_CHARS) throw wrong(`the line is longer than ${MAX_LINE_CHARS} characters`)
  const line = readLine(text)
  const own = line.chain ? { chain: line.chain } : line.rules
  const call = permissionCall(line, workspace)
  const decision = decide(
    call,
    own === undefined ? levels : levelsOf(own, (path) => path.join('.') || 'rules', known),
    [],
    shellItems,
  )
  const { said, why } = decision.said?.rule === ASK ? NO_RULE : decision
  const isDenied = decision.action === 'ask' && !line.interactive
  return {
    ...(line.id === undefined ? {} : { id: line.id }),
    tool: call.tool,
    decision: isDenied ? 'deny' : decision.action,
    rule: said?.rule ?? null,
    layer: said?.layer ?? null,
    why: isDenied ? `nobody can answer (unattended): ${why}` : why,
  }
}

function readLine(text: string): Line {
  const given = parseJson(text)
  const parsed = lineSchema.safeParse(given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const problem = issue ? issueWords(issue, given) : 'not understood'
  throw wrong(`${issue?.path.join('.') || 'the line'}: ${problem}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw wrong(`not JSON: ${errorMessage(error)}`)
  }
}

function wrong(message: string): OffshootError {
  return new OffshootError('usage', message, {
    hint: 'a line is {"tool": "bash", "input": {"command": "ls"}}',
  })
}

const TOOLS = createRegistry(builtinTools())
/** Known to the runtime alone. */
const TASK = { name: 'task', toolset: 'agents', effects: 'spawn' } as const

type RuledTool = Pick<AnyTool, 'name' | 'toolset' | 'effects'>

function permissionCall(line: Line, workspace: Workspace): PermissionCall {
  const name = line.tool ?? line.call?.tool ?? (line.command === undefined ? undefined : 'bash')
  if (name === undefined) throw wrong('tool: missing')
  const known = TOOLS.get(name)
  const tool: RuledTool =
    known ?? (/^(task|agent)$/i.test(name) ? TASK : { name, toolset: name, effects: 'execute' })
  const resolvePath = (path: string) => workspace.resolve(path)
  const subjects = subjectsOf(line, known, tool).map(({ kind, value }): PermissionSubject => {
    if (kind === 'path') return { kind, path: resolvePath(value) }
    return kind === 'command' ? { kind, command: value } : { kind, value }
  })
  const { toolset, effects } = tool
  const below = (path: string, levels?: number) => filesBelow(workspace, path, { levels })
  return { tool: tool.name, toolset, effects, subjects, resolvePath, filesBelow: below, entryAt }
}

function subjectsOf(line: Line, known: AnyTool | undefined, tool: RuledTool): readonly Subject[] {
  const { input, subject = line.command ?? line.arg ?? line.call?.arg } = line
  if (Array.isArray(subject)) return subject
  if (subject !== undefined)
    return [{ kind: KINDS.get(tool.toolset) ?? 'name', value: hostOf(tool, subject) }]
  if (input === undefined) throw wrong('input or subject: missing')
  if (known) return known.subject(parseInput(known, input) as never)
  const name = input['subagent_type'] ?? input['agent'] ?? input['name']
  return typeof name === 'string' ? [{ kind: 'name', value: name }] : []
}

/** The toolset of a tool that is not known is its name, which may be one that every object has. */
const KINDS = new Map<string, Subject['kind']>([
  ['shell', 'command'],
  ['files', 'path'],
  ['web', 'host'],
])

/** Rules name a host and a path, without the scheme. */
function hostOf({ toolset }: RuledTool, value: string): string {
  return toolset === 'web' ? value.replace(/^https?:\/\//i, '') : value
}
