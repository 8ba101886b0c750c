import { newRuleId } from '../log/new-id.ts'
import type { AgentRegistry } from '../../agents/registry.ts'
import type { Rule } from '../../core/agent.ts'
import { strangerProblem, type KnownTools } from '../../core/rules/unknown-tool.ts'
import { patternProblem } from '../../core/rules/pattern-problem.ts'
import { toolSpelled } from '../../core/rules/tool-names.ts'
import type { Branch } from '../../core/conversation.ts'
import type { BranchId, NewId } from '../../core/ids.ts'
import type { Grant, Layer, Level } from '../../permissions/types.ts'
import type { Reader, RuleRow } from '../../store/port.ts'
import { ToolError, type AnyTool } from '../../tools/port.ts'
import type { Registry } from '../../tools/registry.ts'
import type { Change } from '../log/recorder.ts'
import { isControlName, isTaskName } from '../task/task-input.ts'
import type { Restrictions } from '../task/task-options.ts'
import { knownTools } from '../../project/known-tools.ts'
import { exposedAgents, isToolName } from './exposed-agents.ts'

/** The rules of a spawn, in stored order. @throws ToolError for an unknown tool. */
export function restrictionRules(
  { agents, tools }: { readonly agents: AgentRegistry; readonly tools: Registry },
  restrictions: Restrictions,
): Rule[] {
  const { permissions, allowedTools, disallowedTools } = restrictions
  const exposed = [...exposedAgents(agents, tools).tools.keys()]
  const known: Known = { tools, exposed, names: knownTools({ tools, agents: agents.list() }) }
  return [
    ...permissions.map((rule) => ruleOf(known, rule)),
    ...(allowedTools ? [NOTHING, ...allowedTools.map((name) => toolRule(known, name, 'allow'))] : []),
    ...disallowedTools.map((name) => toolRule(known, name, 'deny')),
  ]
}

const NOTHING: Rule = { tool: '*', action: 'deny' }

/** Names that rules can use. */
interface Known {
  readonly tools: Registry
  /** Agents offered as tools. */
  readonly exposed: readonly string[]
  readonly names: KnownTools
}

/** A rule of `permissions`, spelled as everywhere. */
function ruleOf(known: Known, rule: Rule): Rule {
  const problem = strangerProblem({ tool: rule.tool, kind: 'rule', where: '' }, known.names)
  if (problem) throw new ToolError('invalid_input', `wrong input for task: permissions: ${problem}`)
  return { ...rule, tool: ownName(known, rule.tool) ?? rule.tool }
}

/** An entry of a tool list: `Bash(git *)` and `Bash(git:*)` are rules with a pattern. */
function toolRule(known: Known, name: string, action: Rule['action']): Rule {
  const open = name.indexOf('(')
  if (open < 0 || !name.endsWith(')')) return { tool: listedTool(known, name), action }
  const tool = listedTool(known, name.slice(0, open).trim())
  const pattern = name.slice(open + 1, -1).replace(/:\*$/, ' *')
  if (pattern === '' || pattern === '*') return { tool, action }
  const problem = patternProblem(tool, pattern)
  if (problem) throw unknown(`${JSON.stringify(name.slice(0, 100))}: ${problem}`)
  return { tool, action, pattern }
}

/** The name in rules: the tool's own name, a toolset, or `*`. */
function listedTool(known: Known, name: string): string {
  const own = ownName(known, name)
  if (own) return own
  const problem = strangerProblem({ tool: name, kind: 'list', where: '' }, known.names)
  if (problem) throw unknown(problem)
  return toolSpelled(name) ?? name
}

function ownName({ tools, exposed }: Known, name: string): string | undefined {
  if (isTaskName(name) || isControlName(name)) return 'agents'
  return tools.get(name)?.name ?? exposed.find((each) => isToolName(name, each))
}

function unknown(problem: string): ToolError {
  return new ToolError('unknown_tool', problem)
}

/** Stored with the branch, so that they also bind later runs on it. */
export function storeRestrictions(
  change: Change,
  newId: NewId,
  branch: Branch,
  rules: readonly Rule[],
): void {
  for (const { tool, pattern = null, action } of rules)
    insertRule(change, newId, branch, { kind: 'restriction', tool, pattern, action })
}

/** Those of a main branch belong to one run: the next has its own, or none. */
export function replaceRestrictions(
  change: Change,
  newId: NewId,
  branch: Branch,
  rules: readonly Rule[],
): void {
  const where = { branchId: branch.id, kind: 'restriction' } as const
  for (const { id } of change.tx.find('rules', { where })) change.tx.delete('rules', id)
  storeRestrictions(change, newId, branch, rules)
}

function insertRule(
  change: Change,
  newId: NewId,
  { id: branchId, conversationId }: Branch,
  rule: Pick<RuleRow, 'kind' | 'tool' | 'pattern' | 'action'>,
): void {
  const place = { conversationId, branchId, directory: null }
  change.tx.insert('rules', { id: newRuleId(newId), ...place, ...rule, createdAt: change.at })
}

/** The directory outside the workspace that a person allowed for a subagent, with everything below. */
export function directoryGrants(directory: string): readonly Grant[] {
  if (/[*?]/.test(directory)) return [] // a pattern would match other directories too: each path there is asked for
  return [{ tool: 'external_directory', pattern: directory === '/' ? '/**' : `${directory}/**` }]
}

export function storeDirectoryGrants(
  change: Change,
  newId: NewId,
  branch: Branch,
  grants: readonly Grant[],
): void {
  for (const { tool, pattern = null } of grants)
    insertRule(change, newId, branch, { kind: 'grant', tool, pattern, action: 'allow' })
}

export function readDirectoryGrants(reader: Reader, branchId: BranchId): Grant[] {
  return reader
    .find('rules', { where: { branchId, kind: 'grant', tool: 'external_directory' }, orderBy: 'id' })
    .map(({ tool, pattern }) => ({ tool, ...(pattern === null ? {} : { pattern }) }))
}

/** The stored restrictions of a branch. */
export function readRestrictions(reader: Reader, branchId: BranchId): Rule[] {
  return reader
    .find('rules', { where: { branchId, kind: 'restriction' }, orderBy: 'id' })
    .map(({ tool, pattern, action }) => ({ tool, action, ...(pattern === null ? {} : { pattern }) }))
}

/** The level that they add below the agent's; none without restrictions. */
export function restrictionLevels(rules: readonly Rule[]): Level[] {
  if (rules.length === 0) return []
  const layers = layersOf(rules).map((rules): Layer => ({ name: NAME, rules }))
  return [{ name: NAME, layers }]
}

const NAME = 'restrictions of this spawn'

/**
 * The last matching rule decides within a layer, the strictest across layers. A list that starts with "nothing" is a
 * separate layer, so that it cannot re-allow what an earlier rule denies.
 */
function layersOf(rules: readonly Rule[]): Rule[][] {
  const layers: Rule[][] = [[]]
  for (const rule of rules) {
    if (isEverything(rule) && rule.action === 'deny') layers.push([])
    layers.at(-1)!.push(rule)
  }
  return layers.filter((layer) => layer.length > 0)
}

function isEverything({ tool, pattern }: Rule): boolean {
  return tool === '*' && pattern === undefined
}

/** Those of which not every call is denied anyway: the others need not be offered. */
export function allowedTools(tools: readonly AnyTool[], rules: readonly Rule[]): readonly AnyTool[] {
  return tools.filter((tool) =>
    layersOf(rules).every((layer) => {
      const last = layer.findLast((rule) => [tool.name, tool.toolset, '*'].includes(rule.tool))
      return !last || last.action !== 'deny' || last.pattern !== undefined
    }),
  )
}
