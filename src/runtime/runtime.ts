import type { AgentDefinition } from '../core/agent.ts'
import type { Branch, Conversation } from '../core/conversation.ts'
import { OffshootError } from '../core/errors.ts'
import type { BranchId, ConversationId, RunId } from '../core/ids.ts'
import type { Part } from '../core/message.ts'
import type { Run } from '../core/run.ts'
import { isFinal, isStopped, state } from '../core/run-status.ts'
import { killMarked } from '../exec/kill.ts'
import type { Layer } from '../permissions/types.ts'
import type { Tx } from '../store/port.ts'
import type { Workspace } from '../tools/port.ts'
import { Approvals } from './approvals.ts'
import { createBus, type Subscriber } from './bus.ts'
import { agentLevel } from './chain.ts'
import type { Deps } from './deps.ts'
import { LiveConversation } from './conversation.ts'
import { createLiveRun, place, runEvent, type LiveRun, type StopReason } from './live-run.ts'
import { appendMessage } from './messages.ts'
import { createRecorder, type Change } from './recorder.ts'
import { readRunResult, type RunResult } from './run-result.ts'
import { Scheduler } from './scheduler.ts'
import { aboutRun, freshFigures, type SystemText } from './spawn.ts'

/** `endProcesses` is given by tests alone, whose tools start none. */
export type RuntimeOptions = Omit<Deps, 'bus' | 'recorder' | 'approvals' | 'scheduler' | 'endProcesses'> &
  Partial<Pick<Deps, 'endProcesses'>>

export interface StartOptions {
  readonly workspace: Workspace
  readonly prompt: string
  readonly agent: AgentDefinition
  /** `provider/model`. */
  readonly model: string
  readonly maxTurns?: number
  /** Go on with this conversation instead of a new one. */
  readonly conversationId?: ConversationId
  readonly systemText: SystemText
}

/** A main run that is being driven. */
export interface StartedRun {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly runId: RunId
  /** The last `seq` of the conversation before this run: its events come after it. */
  readonly seqBefore: number
  /** Names of the tools that its agent is offered. */
  readonly tools: readonly string[]
  /** Settles when the run and everything below it has stopped. Rejects only when the store fails. */
  readonly result: Promise<RunResult>
  /** Stops the whole tree: `pause` keeps it resumable, `cancel` is final. The first reason stays. */
  stop(verb: 'pause' | 'cancel'): void
}

export interface Runtime {
  readonly approvals: Approvals
  readonly resolveModel: Deps['resolveModel']
  start(options: StartOptions): Promise<StartedRun>
  subscribe(conversationId: ConversationId, subscriber: Subscriber): () => void
}

/** The runtime over its ports. It starts nothing by itself. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const bus = createBus(options.clock)
  const recorder = createRecorder(options.store, bus, options.clock)
  const scheduler = new Scheduler(options.config.limits)
  const approvals = new Approvals({ ...options, recorder, scheduler })
  const deps: Deps = { endProcesses, ...options, bus, recorder, scheduler, approvals }
  const conversations: Conversations = new Map()
  return {
    approvals,
    resolveModel: deps.resolveModel,
    subscribe: bus.subscribe,
    start: (start) => startRun(deps, conversations, start),
  }
}

async function endProcesses(runId: RunId): Promise<void> {
  await killMarked({ mark: 'OFFSHOOT_RUN_ID', value: runId })
}

/** Those that are being driven: one driver each, so that no branch has two runs at a time. */
type Conversations = Map<ConversationId, LiveConversation>

async function startRun(
  deps: Deps,
  conversations: Conversations,
  options: StartOptions,
): Promise<StartedRun> {
  const known = options.conversationId
    ? openConversation(deps, options.conversationId, options.workspace)
    : undefined
  const conversation = known?.conversation ?? newConversation(deps, options)
  const branch = known?.branch ?? newBranch(deps, conversation, options.agent)
  const run = newLiveRun(deps, branch, options)
  await deps.recorder.record(conversation.id, (change) => {
    if (known) checkIdle(change.tx, branch)
    else writeConversation(change, deps, conversation, branch, run, options)
    change.tx.insert('runs', run.row)
    appendMessage(change, deps.newId, place(run, change.at), {
      branchId: branch.id,
      role: 'user',
      parts: text(deps, options.prompt),
      runId: null,
    })
    change.event(
      runEvent(run, 'run.started', change.at, { from: null, input: options.prompt.slice(0, 2_000) }),
    )
  })
  const live = driven(deps, conversations, conversation.id, options)
  live.drive(run).catch(() => {}) // the conversation keeps what failed
  const started = handle(deps, run, conversation.seq, live)
  const forget = () => live.isQuiet && conversations.get(live.id) === live && conversations.delete(live.id)
  started.result.then(forget, forget)
  return started
}

function driven(
  deps: Deps,
  conversations: Conversations,
  id: ConversationId,
  { workspace, systemText }: StartOptions,
): LiveConversation {
  const known = conversations.get(id)
  if (known && !known.stopped) return known
  const live = new LiveConversation(id, { deps, workspace, systemText })
  conversations.set(id, live)
  return live
}

function handle(deps: Deps, run: LiveRun, seqBefore: number, live: LiveConversation): StartedRun {
  const { conversationId, branchId, id: runId } = run.row
  const result = keepAlive(live.quiet()).then(() => readRunResult(deps.store, runId))
  result.catch(() => {}) // whoever asks for the result gets the error; nobody asking must not end the process
  const reasons = {
    pause: { verb: 'pause', why: 'user' },
    cancel: { verb: 'cancel', by: 'user' },
  } as const satisfies Record<string, StopReason>
  const { tools } = aboutRun(deps, run)
  const stop: StartedRun['stop'] = (verb) => live.stop(reasons[verb])
  return { conversationId, branchId, runId, seqBefore, tools, result, stop }
}

/** The clock's timers let a process end; a run that waits for one must not. */
async function keepAlive(driven: Promise<void>): Promise<void> {
  const hold = setInterval(() => {}, 2 ** 30)
  try {
    await driven
  } finally {
    clearInterval(hold)
  }
}

function openConversation(
  deps: Deps,
  id: ConversationId,
  workspace: Workspace,
): { conversation: Conversation; branch: Branch } {
  const conversation = deps.store.get('conversations', id)
  const branch = deps.store.find('branches', { where: { conversationId: id, kind: 'main' }, limit: 1 })[0]
  if (!conversation || !branch)
    throw new OffshootError('usage', `there is no conversation ${id}`, { hint: 'offshoot ls lists them' })
  if (conversation.directory !== workspace.root)
    throw new OffshootError('usage', `${id} works on ${conversation.directory}, not on ${workspace.root}`, {
      hint: `run it there: -C ${conversation.directory}`,
    })
  return { conversation, branch }
}

/** Read in the transaction that adds the run: of two that come at the same time, one is refused. */
function checkIdle(tx: Tx, { id, conversationId }: Branch): void {
  const last = tx.find('runs', { where: { branchId: id }, orderBy: 'id', descending: true, limit: 1 })[0]
  if (!last || isFinal(last.status)) return
  const how = isStopped(last.status) ? 'is paused' : `is ${last.status}`
  throw new OffshootError(
    'conflict',
    `the last run of ${conversationId} ${how} and cannot be continued yet`,
    {
      hint: 'start a new conversation',
    },
  )
}

function newConversation(deps: Deps, { workspace, prompt }: StartOptions): Conversation {
  const now = deps.clock.now()
  const title = prompt.trim().split('\n', 1)[0]!.slice(0, 80)
  return { id: deps.newId('cnv'), directory: workspace.root, title, seq: 0, createdAt: now, updatedAt: now }
}

function newBranch(deps: Deps, { id, createdAt }: Conversation, agent: AgentDefinition): Branch {
  const origin = { parentBranchId: null, originMessageId: null, originToolCallId: null }
  const times = { createdAt, updatedAt: createdAt }
  return {
    id: deps.newId('brn'),
    conversationId: id,
    kind: 'main',
    inheritContext: false,
    ...origin,
    agent: agent.name,
    label: 'main',
    ...times,
  }
}

function newLiveRun(deps: Deps, branch: Branch, { agent, model, maxTurns }: StartOptions): LiveRun {
  const { limits } = deps.config
  const now = deps.clock.now()
  const runLimits = {
    maxTurns:
      maxTurns ??
      Math.min(deps.config.agents[agent.name]?.maxTurns ?? agent.maxTurns ?? Infinity, limits.maxTurns),
    maxTokens: null,
    maxCostUsd: agent.maxCostUsd ?? null,
    timeoutMs: agent.timeoutMs ?? limits.timeoutMs,
    stallMs: limits.stallMs,
  }
  const row: Run = {
    ...freshFigures,
    ...state.running,
    id: deps.newId('run'),
    conversationId: branch.conversationId,
    branchId: branch.id,
    parentRunId: null,
    originCallId: null,
    depth: 0,
    agent: agent.name,
    model,
    description: branch.label,
    background: false,
    limits: runLimits,
    queuedAt: now,
    startedAt: now,
  }
  const root: Layer[] = [...deps.rootLayers]
  const chain = [{ name: 'root', layers: root }, agentLevel(agent)]
  const tools = deps.tools.forAgent(agent.tools, agent.disallowedTools).list()
  return createLiveRun({ row, agent, chain, tools, parent: undefined, call: undefined })
}

function writeConversation(
  change: Change,
  deps: Deps,
  conversation: Conversation,
  branch: Branch,
  run: LiveRun,
  options: StartOptions,
): void {
  const here = place(run, change.at)
  change.tx.insert('conversations', conversation)
  change.tx.insert('branches', branch)
  const { directory, title } = conversation
  change.event({ type: 'conversation.created', ...here, branchId: null, runId: null, directory, title })
  const { kind, inheritContext, parentBranchId, originMessageId, originToolCallId, agent, label } = branch
  const about = { kind, inheritContext, parentBranchId, originMessageId, originToolCallId, agent, label }
  change.event({ type: 'branch.created', ...here, runId: null, ...about })
  const system = options.systemText(aboutRun(deps, run))
  appendMessage(
    change,
    deps.newId,
    { ...here, runId: null },
    { branchId: branch.id, role: 'system', parts: text(deps, system), runId: null },
  )
}

function text(deps: Deps, text: string): Part[] {
  return [{ id: deps.newId('prt'), type: 'text', text }]
}
