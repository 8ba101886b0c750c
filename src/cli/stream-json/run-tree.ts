import type { EventOf, OffshootEvent } from '../../core/events.ts'
import type { BranchId, CallId, RunId } from '../../core/ids.ts'
import type { Usage } from '../../core/usage.ts'

/** A run as far as the events have told of it. */
export interface SeenRun {
  readonly branchId: BranchId | null
  readonly parentRunId: RunId | null
  readonly callId: CallId | null
  readonly agent: string
  readonly model: string
  readonly description: string
  readonly background: boolean
  startedAt: number
  /** When it last had nothing to do but to wait for its model. */
  askedAt: number
  tokens: number
  toolUses: number
  /** Whether a reader believes it to be at work; undefined before it was told anything. */
  state: 'open' | 'closed' | undefined
}

type RunEvent = Extract<OffshootEvent, { type: `run.${string}` }>

export interface Tree {
  push(event: OffshootEvent): void
  /** The run that an event belongs to, once its first `run.*` event came. */
  run(event: OffshootEvent): SeenRun | undefined
  parent(run: SeenRun): SeenRun | undefined
  /**
   * The call that stands above what an event tells: null for the main run; else the call that its run answers, or that
   * its branch was made by. A subagent that a person started has no call, and its branch stands for it.
   */
  parentCall(event: OffshootEvent): string | null
  addTokens(event: OffshootEvent, usage: Usage | null | undefined): void
  /** True when a reader has to be told that the run is at work. */
  open(run: SeenRun): boolean
  /** True when a reader has to be told that the run has stopped. */
  close(run: SeenRun): boolean
  /** Milliseconds in which runs waited for their models, summed over the tree. */
  modelMs(): number
}

export function createTree(): Tree {
  const runs = new Map<RunId, SeenRun>()
  const origins = new Map<BranchId, CallId | null>()
  let modelMs = 0
  const runOf = ({ runId }: OffshootEvent) => (runId ? runs.get(runId) : undefined)
  return {
    push(event) {
      if (event.type === 'branch.created') noteOrigin(event, origins)
      else if (isRunEvent(event)) noteRun(event, runs)
      const run = runOf(event)
      if (!run) return
      if (event.type === 'message.completed' && event.role === 'assistant') modelMs += event.at - run.askedAt
      if (event.type === 'turn.completed' || event.type === 'run.resumed') run.askedAt = event.at
      if (event.type === 'tool.started') run.toolUses++
    },
    run: runOf,
    parent: ({ parentRunId }) => (parentRunId ? runs.get(parentRunId) : undefined),
    parentCall(event) {
      if (event.depth === 0) return null
      return runOf(event)?.callId ?? (event.branchId && origins.get(event.branchId)) ?? event.branchId
    },
    addTokens(event, usage) {
      const run = runOf(event)
      if (run && usage) run.tokens += usage.input + usage.output
    },
    open: (run) => changesTo(run, 'open'),
    close: (run) => changesTo(run, 'closed'),
    modelMs: () => modelMs,
  }
}

function isRunEvent(event: OffshootEvent): event is RunEvent {
  return event.type.startsWith('run.')
}

/** A fork of a subagent's branch belongs to the call that the branch came from. */
function noteOrigin(event: EventOf<'branch.created'>, origins: Map<BranchId, CallId | null>): void {
  const { branchId, originToolCallId, kind, parentBranchId } = event
  if (!branchId) return
  const inherited = kind === 'fork' && parentBranchId ? origins.get(parentBranchId) : null
  origins.set(branchId, originToolCallId ?? inherited ?? null)
}

function noteRun(event: RunEvent, runs: Map<RunId, SeenRun>): void {
  if (!event.runId) return
  const { at, branchId, parentRunId, agent, model, description, background, type } = event
  const known = runs.get(event.runId)
  const figures = known ?? { startedAt: at, askedAt: at, tokens: 0, toolUses: 0, state: undefined }
  const callId = event.callId ?? null
  const run = { ...figures, branchId, parentRunId, callId, agent, model, description, background }
  if (type === 'run.started') Object.assign(run, { startedAt: at, askedAt: at })
  runs.set(event.runId, run)
}

function changesTo(run: SeenRun, state: 'open' | 'closed'): boolean {
  const isNews = run.state !== state
  run.state = state
  return isNews
}
