import { innerCalls, USE_TOOL } from '../../../core/inner-calls.ts'
import { once } from '../../../core/once.ts'
import { toolSpelled } from '../../../core/rules/tool-names.ts'
import type { ToolSet } from '../../../loop/ports.ts'
import type { Level } from '../../../permissions/types.ts'
import { ToolError, type AnyTool } from '../../../tools/port.ts'
import { createRegistry, type Registry } from '../../../tools/registry.ts'
import type { Config } from '../../../config/config-schema.ts'
import type { LiveRun } from '../../run/live-run.ts'
import { delegationTools, type DelegationPorts } from '../startable-agents.ts'
import { isControlName, isTaskName } from '../../task/task-input.ts'
import { unknownText } from './find-tools.ts'
import { createGetTools } from './get-tools.ts'
import { createUseTool } from './use-tool.ts'

/** Tools of every agent that learns its tools on demand. */
export const discoveryNames = ['get_tools', 'use_tool'] as const

/** With more schemas in a request, `auto` offers `get_tools` and `use_tool` instead. */
const MOST_OFFERED = 40

/**
 * Whether a run learns its tools on demand. With `auto`, the tools of the main agent at the top of its line decide, so
 * that children follow their conversation and a restart needs no stored state. The offline searcher reads no schemas
 * and gets its tools directly. `tools`: those of the run; without any there is nothing to learn.
 */
export function learnsTools(deps: DelegationPorts, run: LiveRun, tools: readonly unknown[]): boolean {
  const { discovery } = deps.config
  if (discovery === 'off' || tools.length === 0 || run.row.model === 'offline') return false
  if (discovery === 'on') return true
  const most = deps.tools.list().length + deps.agents.list().length + MOST_DELEGATION
  return most > MOST_OFFERED && offeredToMain(deps, topOf(run)) > MOST_OFFERED
}

/** `task` and its companion tools. */
const MOST_DELEGATION = 5

function topOf(run: LiveRun): LiveRun {
  return run.parent ? topOf(run.parent) : run
}

/** A subagent started by a person belongs to no run of the main agent: the main agent's definition counts. */
function offeredToMain(
  deps: DelegationPorts,
  { row, agent, tools }: Pick<LiveRun, 'row' | 'agent' | 'tools'>,
): number {
  if (row.depth === 0) return tools.length + delegationTools(deps, agent, 0).length
  const main = deps.agents.get('main') ?? agent
  const own = deps.tools.forAgent(main.tools, main.disallowedTools).list()
  return own.length + delegationTools(deps, main, 0).length
}

/** Always offered directly; with `auto`, so are the working tools, which nearly every task needs. */
const ALWAYS: ReadonlySet<string> = new Set(['todo', 'ask_user'])
const WORKING: ReadonlySet<string> = new Set(['read', 'write', 'edit', 'list', 'glob', 'grep', 'bash'])

/** Tools of a run that learns them on demand: it may call each by `use_tool` or by its name. */
export function discoveringTools(tools: Registry & ToolSet, mode: Config['discovery']): ToolSet {
  const getTools = createGetTools(tools)
  const useTool = createUseTool()
  const own = createRegistry([getTools, useTool])
  const isDirect = ({ name }: AnyTool) =>
    ALWAYS.has(name) || isTaskName(name) || isControlName(name) || (mode === 'auto' && WORKING.has(name))
  return {
    get: (name) => own.get(name) ?? tools.get(name),
    list: () => [...tools.list().filter(isDirect), getTools, useTool],
    refusal: (name) => tools.refusal?.(name) ?? new ToolError('unknown_tool', unknownText(name, tools), HINT),
    expand: (call, newId) => (own.get(call.tool) === useTool ? innerCalls(call, newId) : [call]),
  }
}

/**
 * The tools of a run whose requests carry every schema. A model that knows `get_tools` and `use_tool` from another system
 * reaches them by these too; neither is offered to it.
 */
export function directTools(tools: Registry & ToolSet): ToolSet {
  if (tools.list().length === 0) return tools
  const own = once(() => createRegistry([createGetTools(tools), createUseTool()]))
  const discoveryName = (name: string) => {
    const spelled = tools.get(name) ? undefined : toolSpelled(name)
    return discoveryNames.find((each) => each === spelled)
  }
  return {
    ...tools,
    get: (name) => tools.get(name) ?? (discoveryName(name) && own().get(name)),
    expand: (call, newId) => (discoveryName(call.tool) === USE_TOOL ? innerCalls(call, newId) : [call]),
  }
}

const HINT = 'get_tools lists the tools that you have'

/**
 * Whether no rule decides about a tool: `get_tools` returns what a request would contain, and inner calls of `use_tool`
 * are decided one by one. A rule that names the tool still applies.
 */
export function isUnruled({ name }: AnyTool, chain: readonly Level[]): boolean {
  if (!discoveryNames.some((each) => each === name)) return false
  return !chain.some(({ layers }) => layers.some(({ rules }) => rules.some((rule) => rule.tool === name)))
}
