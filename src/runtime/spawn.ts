import { noUsage } from '../core/usage.ts'
import type { AgentDefinition } from '../core/agent.ts'
import type { Branch } from '../core/conversation.ts'
import type { Part } from '../core/message.ts'
import type { Run, RunLimits } from '../core/run.ts'
import { state } from '../core/run-status.ts'
import type { StartedCall } from '../loop/ports.ts'
import { ToolError } from '../tools/port.ts'
import { agentLevel } from './chain.ts'
import type { Deps } from './deps.ts'
import { createLiveRun, place, runEvent, type LiveRun } from './live-run.ts'
import { appendMessage, type Place } from './messages.ts'
import type { Change } from './recorder.ts'
import { takeSlot } from './slots.ts'
import { controlsOf, describeTask, isControlName, isTaskName, type TaskInput } from './task-input.ts'

/** What the first message of a branch needs from outside: the system text of its agent at its depth. */
export type SystemText = (about: {
  readonly agent: AgentDefinition
  readonly depth: number
  readonly maxTurns: number
  /** Names of the tools that it is offered. */
  readonly tools: readonly string[]
}) => string

/** The agents that a run may start (tools.md §5): none at the depth limit. */
export function spawnable(deps: Deps, agent: AgentDefinition, depth: number): readonly AgentDefinition[] {
  if (depth >= deps.config.limits.maxDepth || deps.config.delegation === 'off') return []
  if (agent.disallowedTools?.some(isTaskName)) return []
  const others = deps.agents.list().filter((each) => each.name !== 'main')
  if (agent.spawns) return others.filter((each) => agent.spawns!.includes(each.name))
  const delegates = depth === 0 || agent.name === 'general'
  return delegates && (agent.tools?.some((name) => name === '*' || isTaskName(name)) ?? true) ? others : []
}

/** Why a call of `task`, or of a tool that goes with it, is refused where it is not offered; undefined for any other name. */
export function refuseTask(run: LiveRun, name: string): ToolError | undefined {
  return isTaskName(name) || isControlName(name) ? nestedNotAllowed(run) : undefined
}

function nestedNotAllowed({ row }: LiveRun): ToolError {
  return new ToolError(
    'nested_not_allowed',
    `${row.agent} may not start subagents at depth ${row.depth}; do the work yourself`,
  )
}

/**
 * Writes a subagent: branch, first messages and run, in the transaction of the `task` call's intent.
 * @throws ToolError for an agent that this run may not start, or beyond `limits.maxSpawns`.
 */
export function spawn(
  change: Change,
  deps: Deps,
  parent: LiveRun,
  call: StartedCall,
  systemText: SystemText,
): LiveRun {
  const input = call.input as TaskInput
  const agent = chosenAgent(deps, parent, input.subagent_type)
  checkSpawns(change, deps, parent)
  const branch = newBranch(change, deps, parent, call, agent, describeTask(input))
  checkQueue(deps, parent)
  const row = newRun(change, deps, parent, branch, agent, call, input)
  const chain = [...parent.chain, agentLevel(agent)]
  const tools = deps.tools
    .forAgent(agent.tools, agent.disallowedTools)
    .list()
    .filter((tool) => parent.tools.includes(tool))
  const run = createLiveRun({ row, agent, parent, chain, call, tools })
  if (takeSlot(deps, run, 'end') === 'granted') run.row = { ...row, ...state.running, startedAt: change.at }
  try {
    change.tx.insert('branches', branch)
    change.tx.insert('runs', run.row)
    announce(change, deps, run, branch, input.prompt)
    firstMessages(change, deps, place(run, change.at), systemText(aboutRun(deps, run)), input.prompt)
  } catch (error) {
    deps.scheduler.leave(run.row.id)
    throw error
  }
  return run
}

/** What the system text of a run's branch is made of. */
export function aboutRun(deps: Deps, { agent, row, tools }: LiveRun): Parameters<SystemText>[0] {
  const names = tools.map((tool) => tool.name)
  const delegates = spawnable(deps, agent, row.depth).length > 0
  return {
    agent,
    depth: row.depth,
    maxTurns: row.limits.maxTurns,
    tools: delegates ? [...names, 'task', ...controlsOf(agent)] : names,
  }
}

function chosenAgent(deps: Deps, parent: LiveRun, name: string): AgentDefinition {
  const may = spawnable(deps, parent.agent, parent.row.depth)
  const agent = may.find((each) => each.name === name)
  if (agent) return agent
  const known = may.map((each) => each.name).join(', ')
  if (may.length > 0)
    throw new ToolError(
      'unknown_agent',
      `there is no agent "${name.slice(0, 100)}" to start; the agents are: ${known}`,
    )
  throw nestedNotAllowed(parent)
}

function checkQueue({ scheduler, config }: Deps, { row }: LiveRun): void {
  if (!scheduler.isFull(row.conversationId)) return
  throw new ToolError(
    'queue_full',
    `${config.limits.maxQueue} runs of this conversation wait for a slot already; wait for reports before you start more`,
  )
}

function checkSpawns(change: Change, deps: Deps, parent: LiveRun): void {
  const { maxSpawns } = deps.config.limits
  const used = change.tx.count('branches', { conversationId: parent.row.conversationId, kind: 'subagent' })
  if (used < maxSpawns) return
  throw new ToolError(
    'spawn_limit',
    `this conversation has started ${used} of at most ${maxSpawns} subagents; do the work yourself`,
  )
}

function newBranch(
  change: Change,
  deps: Deps,
  parent: LiveRun,
  call: StartedCall,
  agent: AgentDefinition,
  label: string,
): Branch {
  return {
    id: deps.newId('brn'),
    conversationId: parent.row.conversationId,
    kind: 'subagent',
    inheritContext: false,
    parentBranchId: parent.row.branchId,
    originMessageId: change.tx.get('parts', call.part.id)!.messageId,
    originToolCallId: call.part.callId,
    agent: agent.name,
    label,
    createdAt: change.at,
    updatedAt: change.at,
  }
}

function newRun(
  change: Change,
  deps: Deps,
  parent: LiveRun,
  branch: Branch,
  agent: AgentDefinition,
  call: StartedCall,
  input: TaskInput,
): Run {
  return {
    ...freshFigures,
    ...state.queued,
    id: deps.newId('run'),
    conversationId: branch.conversationId,
    branchId: branch.id,
    parentRunId: parent.row.id,
    originCallId: call.part.callId,
    depth: parent.row.depth + 1,
    agent: agent.name,
    model: modelOf(deps, parent, agent),
    description: branch.label,
    background: input.run_in_background ?? agent.background ?? false,
    limits: limitsOf(deps, agent, input),
    queuedAt: change.at,
    startedAt: null,
  }
}

export const freshFigures = {
  waitingFor: null,
  attempt: 1,
  stopNo: 0,
  turns: 0,
  toolCalls: 0,
  usage: noUsage,
  costUsd: 0,
  lastAction: null,
  reportMessageId: null,
  reportNote: null,
  error: null,
  endedAt: null,
} as const satisfies Partial<Run>

/** Order of precedence: call, config, definition, default (tools.md §5). */
function modelOf(deps: Deps, parent: LiveRun, agent: AgentDefinition): string {
  const wanted = deps.config.agents[agent.name]?.model ?? agent.model ?? 'inherit'
  if (wanted === 'inherit') return parent.row.model
  return wanted === 'small' ? deps.smallModelOf(parent.row.model) : wanted
}

/** @throws ToolError when the call asks for more turns than any run may take. */
function limitsOf(deps: Deps, agent: AgentDefinition, input: TaskInput): RunLimits {
  const { limits, agents } = deps.config
  if (input.max_turns !== undefined && input.max_turns > limits.maxTurns) {
    throw new ToolError(
      'limit',
      `max_turns ${input.max_turns} is more than the ${limits.maxTurns} that any run may take`,
    )
  }
  const maxTurns =
    input.max_turns ??
    Math.min(agents[agent.name]?.maxTurns ?? agent.maxTurns ?? limits.maxTurnsSubagent, limits.maxTurns)
  const timeoutMs = agent.timeoutMs ?? limits.timeoutMs
  return {
    maxTurns,
    maxTokens: null,
    maxCostUsd: agent.maxCostUsd ?? null,
    timeoutMs,
    stallMs: limits.stallMs,
  }
}

function announce(change: Change, deps: Deps, run: LiveRun, branch: Branch, prompt: string): void {
  const here = place(run, change.at)
  const { kind, inheritContext, parentBranchId, originMessageId, originToolCallId, agent, label } = branch
  const about = { kind, inheritContext, parentBranchId, originMessageId, originToolCallId, agent, label }
  change.event({ type: 'branch.created', ...here, ...about })
  const type = run.row.status === 'queued' ? 'run.queued' : 'run.started'
  const position = deps.scheduler.position(run.row.id)
  const input = prompt.slice(0, 2_000)
  change.event(runEvent(run, type, change.at, { from: null, input, ...(position ? { position } : {}) }))
}

function firstMessages(change: Change, deps: Deps, here: Place, system: string, prompt: string): void {
  const branchId = here.branchId!
  const text = (text: string): Part[] => [{ id: deps.newId('prt'), type: 'text', text }]
  appendMessage(change, deps.newId, here, {
    branchId,
    role: 'system',
    parts: text(system),
    runId: here.runId,
  })
  appendMessage(change, deps.newId, here, { branchId, role: 'user', parts: text(prompt), runId: here.runId })
}
