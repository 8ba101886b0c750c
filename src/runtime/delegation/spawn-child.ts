import { roleText } from '../../agents/prompt-template.ts'
import { noUsage } from '../../core/usage.ts'
import type { AgentDefinition, JsonSchema } from '../../core/agent.ts'
import type { Branch } from '../../core/conversation.ts'
import type { CallId, NewId } from '../../core/ids.ts'
import { isBackgroundName } from '../../core/rules/tool-names.ts'
import type { Author } from '../../core/message.ts'
import type { Run, RunLimits, RunSetup } from '../../core/run.ts'
import { state } from '../../core/run-status.ts'
import type { StartedCall } from '../../loop/ports.ts'
import { ToolError } from '../../tools/port.ts'
import { narrow, type Authority, type NarrowPorts, type OwnBounds } from '../authority/authority.ts'
import type { Budget } from '../budget/budget.ts'
import { delegationsTo, storeDelegations } from '../authority/delegations.ts'
import type { Deps } from '../context/deps.ts'
import { discoveryNames, learnsTools } from './discovery/discovery.ts'
import {
  authorOfRun,
  startAtOnce,
  createLiveRun,
  eventScope,
  runEvent,
  type LiveRun,
} from '../run/live-run.ts'
import { appendMessage, type EventScope } from '../run/messages.ts'
import { nextBranchNumber } from '../log/new-number.ts'
import { offeredTools } from './offered-tools.ts'
import type { PreparedSpawn } from '../run/prepared-spawn.ts'
import type { Change } from '../log/recorder.ts'
import { restrictionRules, storeDirectoryGrants, storeRestrictions } from '../authority/restrictions.ts'
import type { Scope, ScopePart } from '../context/scope.ts'
import { personaOf, schemasOf } from './persona-and-schemas.ts'
import { programSetup } from './program-setup.ts'
import { limitsOf } from './run-limits.ts'
import { keptSettings } from './run-settings.ts'
import { enterQueue } from '../run/budget-queue.ts'
import { delegationTools, exposedTo, spawnable, type DelegationPorts } from './startable-agents.ts'
import type { FirstContext, SystemAbout, SystemText } from '../context/system-text.ts'
import { describeTask, isControlName, isTaskName, type TaskInput } from '../task/task-input.ts'
import { exposedAgents, isToolName } from '../authority/exposed-agents.ts'

export type SubagentPorts = DelegationPorts & NarrowPorts & Pick<Deps, 'newId' | 'scheduler'>
export type SpawnScope = ScopePart<SubagentPorts & ModelPorts, 'budget' | 'receipts'> &
  Pick<Scope, 'systemText' | 'workspace'>

/**
 * Why a call of `task`, of a companion tool or of an agent's tool is refused if it is not offered; undefined for any
 * other name.
 */
export function refuseTask(
  deps: Pick<Deps, 'agents' | 'tools'>,
  run: LiveRun,
  name: string,
): ToolError | undefined {
  const isTyped = [...exposedAgents(deps.agents, deps.tools).tools.keys()].some((tool) =>
    isToolName(name, tool),
  )
  return isTyped || isTaskName(name) || isControlName(name) ? nestedNotAllowed(run) : undefined
}

function nestedNotAllowed({ row }: LiveRun): ToolError {
  return new ToolError(
    'nested_not_allowed',
    `${row.agent} may not start subagents at depth ${row.depth}; do the work yourself`,
  )
}

/** A subagent to be started: everything except ids and times. */
export interface SpawnOrder {
  /** The run that asks for it and the waiting call; absent if a person asks. */
  readonly parent: LiveRun | undefined
  readonly call: StartedCall | undefined
  readonly origin: Pick<Branch, 'conversationId' | 'parentBranchId' | 'originMessageId'>
  readonly depth: number
  readonly agent: AgentDefinition
  readonly label: string
  readonly text: string
  /** Author of the text if no run asks for it; default: a person. */
  readonly author?: Author | undefined
  readonly inheritContext: boolean
  readonly background: boolean
  /** `provider/model`. */
  readonly model: string
  readonly limits: RunLimits
  /** Source of its reservation. */
  readonly budget: Budget
  readonly setup: RunSetup
  readonly first: FirstContext
  readonly above: Authority
  readonly bounds: OwnBounds
  /** Schema of its report; default: its agent's. */
  readonly outputSchema?: JsonSchema | undefined
}

/**
 * Writes the subagent of a `task` call in the transaction of its intent. @throws ToolError for an agent that this run
 * may not start, or beyond a limit.
 */
export function spawnChild(
  change: Change,
  { deps, systemText, workspace, tree }: SpawnScope,
  parent: LiveRun,
  call: StartedCall,
): LiveRun {
  const input = call.input as TaskInput
  const agent = chosenAgent(deps, parent, call, input.subagent_type)
  const { conversationId, branchId: parentBranchId, depth } = parent.row
  const prepared = takePrepared(parent, call.part.callId)
  const { budget } = tree
  const asked = { usd: input.max_cost_usd, tokens: input.max_tokens }
  const caps = budget.spawn(parent.row.id, { asked, defined: agent.maxCostUsd }, parent.row)
  const limits = { ...limitsOf(deps, agent, depth + 1, { ...input, leftMs: parent.timeLeftMs() }), ...caps }
  const persona = personaOf(deps, agent, input.persona, parent.row)
  const model = modelOf(deps, agent, parent.row.model, input.model)
  const directory = prepared.directory ?? parent.row.setup?.directory ?? null
  const setup: RunSetup = {
    directory: directory === workspace.root ? null : directory,
    effort: input.effort ?? agent.effort ?? null,
    persona: persona?.agent ?? null,
    contextFiles: prepared.contextFiles,
    maxCostUsd: asked.usd ?? null,
    maxTokens: asked.tokens ?? null,
    ...keptSettings(deps, { agent, model }),
    ...programSetup([], parent.row.setup?.context),
  }
  const rules = restrictionRules(deps, input.restrictions)
  const bounds = { rules, directory: setup.directory, opened: prepared.opened }
  const child = { name: agent.name, tools: narrow(deps, parent, agent, bounds).tools }
  const schemas = schemasOf(deps, input.tools, parent, child)
  const originMessageId = change.tx.get('parts', call.part.id)!.messageId
  const order: SpawnOrder = {
    parent,
    call,
    origin: { conversationId, parentBranchId, originMessageId },
    depth: depth + 1,
    agent,
    label: describeTask(input),
    text: taskText(input),
    inheritContext: input.history === 'fork',
    background: inBackground(call, agent, input),
    model,
    limits,
    budget,
    setup,
    first: { persona, files: prepared.files, schemas, receipts: tree.receipts.list() },
    above: parent,
    bounds,
    outputSchema: input.outputSchema,
  }
  return writeSubagent(change, deps, order, systemText)
}

/** From the call, else the agent, else the name by which the tool was called. */
export function inBackground(
  { part }: StartedCall,
  { background }: AgentDefinition,
  { run_in_background }: TaskInput,
): boolean {
  return run_in_background ?? background ?? isBackgroundName(part.tool)
}

/** Content read when the call was decided; empty for a call without inputs. */
function takePrepared({ prepared }: LiveRun, callId: CallId): PreparedSpawn {
  const found = prepared.get(callId)
  prepared.delete(callId)
  return found ?? { opened: [], contextFiles: [], files: [] }
}

/**
 * Writes a subagent: branch, restrictions, first messages and run. It has a slot, or a place in the queue. @throws
 * ToolError beyond `limits.maxSpawns` and `limits.maxQueue`.
 */
export function writeSubagent(
  change: Change,
  deps: SubagentPorts,
  order: SpawnOrder,
  systemText: SystemText,
): LiveRun {
  checkSpawns(change, deps.config.limits)
  if (deps.scheduler.isFull(order.origin.conversationId)) throw queueFull(deps.config.limits)
  const { agent, parent, call, above, bounds, text } = order
  const { rules = [], opened = [] } = bounds
  const branch = newBranch(change, deps.newId, order)
  const authority = narrow(deps, above, agent, bounds)
  const setup = { ...order.setup, ...programSetup(authority.tools, order.setup.context) }
  const row = newRun(change, deps.newId, { ...order, setup }, branch)
  const run = createLiveRun({ row, agent, parent, call, ...authority })
  order.budget.attach(run.held)
  if (enterQueue(change, deps, order.budget, run) === 'granted') startAtOnce(change, run)
  try {
    change.addSubagent(branch.id)
    change.tx.insert('branches', { ...branch, number: nextBranchNumber(change.tx, branch.conversationId) })
    storeRestrictions(change, deps.newId, branch, rules)
    storeDirectoryGrants(change, deps.newId, branch, opened)
    storeDelegations(change, deps.newId, branch, delegationsTo(deps, above, agent))
    change.tx.insert('runs', run.row)
    emitBranchCreated(change, eventScope(run, change.at), branch)
    emitRunStarted(change, deps, run, text)
    const system = systemText({ ...aboutRun(deps, run, branch.outputSchema), ...order.first })
    firstMessages(change, deps.newId, run, {
      system,
      text,
      author: order.author ?? 'person',
    })
  } catch (error) {
    deps.scheduler.release(run.row.id)
    order.budget.forget(run.row.id)
    throw error
  }
  return run
}

/** The parts of the system text of a run's branch. */
export function aboutRun(
  deps: DelegationPorts,
  run: LiveRun,
  outputSchema: JsonSchema | null | undefined = run.agent.outputSchema,
): SystemAbout {
  const { agent, row, call } = run
  const own = offeredTools(run).map((tool) => tool.name)
  const names = [...own, ...delegationTools(deps, agent, row.depth)]
  const isTyped = call !== undefined && !isTaskName(call.part.tool)
  return {
    agent: { ...agent, prompt: roleText(agent, isTyped) },
    outputSchema: outputSchema ?? undefined,
    depth: row.depth,
    maxTurns: row.limits.maxTurns,
    directory: row.setup?.directory ?? null,
    tools: learnsTools(deps, run, names) ? [...names, ...discoveryNames] : names,
  }
}

function chosenAgent(
  deps: DelegationPorts,
  parent: LiveRun,
  { tool }: StartedCall,
  name: string,
): AgentDefinition {
  const { agent: own, row } = parent
  const may = isTaskName(tool.name)
    ? spawnable(deps, own, row.depth)
    : [...exposedTo(deps, own, row.depth).values()]
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

/** The first message of the subagent. */
export function taskText({ prompt, context }: TaskInput): string {
  return context?.trim() ? `${prompt}\n\nContext:\n${context.trim()}` : prompt
}

type Limits = Deps['config']['limits']

function queueFull({ maxQueue }: Limits): ToolError {
  return new ToolError(
    'queue_full',
    `${maxQueue} runs of this conversation already wait for a slot; wait for reports before you start more`,
  )
}

function checkSpawns(change: Change, { maxSpawns }: Limits): void {
  const used = change.subagents()
  if (used < maxSpawns) return
  throw new ToolError(
    'spawn_limit',
    `this conversation has started ${used} of at most ${maxSpawns} subagents; do the work yourself`,
  )
}

function newBranch(
  { at }: Change,
  newId: NewId,
  { origin, call, agent, label, inheritContext, outputSchema }: SpawnOrder,
): Branch {
  return {
    id: newId('brn'),
    kind: 'subagent',
    inheritContext,
    ...origin,
    originToolCallId: call?.part.callId ?? null,
    agent: agent.name,
    label,
    outputSchema: outputSchema ?? agent.outputSchema ?? null,
    createdAt: at,
    updatedAt: at,
  }
}

function newRun({ at }: Change, newId: NewId, order: SpawnOrder, branch: Branch): Run {
  const { parent, depth, agent, model, background, limits, setup } = order
  return {
    ...freshFigures,
    ...state.queued,
    id: newId('run'),
    conversationId: branch.conversationId,
    branchId: branch.id,
    parentRunId: parent?.row.id ?? null,
    originCallId: branch.originToolCallId,
    depth,
    agent: agent.name,
    model,
    description: branch.label,
    background,
    limits,
    setup,
    queuedAt: at,
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
  partialFrom: null,
  unreported: null,
  output: null,
  pausing: null,
  error: null,
  endedAt: null,
} as const satisfies Partial<Run>

export type ModelPorts = Pick<Deps, 'config' | 'smallModelOf'>

/** Order of precedence: call, config, definition, the spawner's own. */
export function modelOf(deps: ModelPorts, agent: AgentDefinition, own: string, asked?: string): string {
  const wanted = asked ?? deps.config.agents[agent.name]?.model ?? agent.model ?? 'inherit'
  if (wanted === 'inherit') return own
  return wanted === 'small' ? deps.smallModelOf(own) : wanted
}

export function emitBranchCreated(change: Change, here: EventScope, branch: Branch): void {
  const { kind, inheritContext, parentBranchId, originMessageId, originToolCallId, agent, label } = branch
  const about = { kind, inheritContext, parentBranchId, originMessageId, originToolCallId, agent, label }
  change.event({ type: 'branch.created', ...here, branchId: branch.id, ...about })
}

/** Emits that a run has started, or waits for its slot. */
export function emitRunStarted(
  change: Change,
  deps: Pick<Deps, 'scheduler'>,
  run: LiveRun,
  prompt: string,
): void {
  const type = run.row.status === 'queued' ? 'run.queued' : 'run.started'
  const input = prompt.slice(0, 2_000)
  change.event(runEvent(run, type, change.at, { from: null, input, ...deps.scheduler.queued(run.row.id) }))
}

function firstMessages(
  change: Change,
  newId: NewId,
  run: LiveRun,
  { system, text, author }: { readonly system: string; readonly text: string; readonly author: Author },
): void {
  const here = eventScope(run, change.at)
  const { branchId, id: runId } = run.row
  const id = newId('prt')
  appendMessage(change, newId, here, {
    branchId,
    role: 'system',
    parts: [{ id, type: 'text', text: system }],
    runId,
  })
  const by = run.parent ? authorOfRun(run.parent) : author
  const task = { id: newId('prt'), type: 'text', text, author: by } as const
  appendMessage(change, newId, here, { branchId, role: 'user', parts: [task], runId })
}
