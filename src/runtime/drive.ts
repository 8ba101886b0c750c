import { buildContext, type ConversationTree } from '../core/build-context.ts'
import { errorMessage, OffshootError } from '../core/errors.ts'
import type { RunError } from '../core/run.ts'
import { isStopped, state, type RunState } from '../core/run-status.ts'
import type { CallId } from '../core/ids.ts'
import { unlessAborted } from '../loop/aborted.ts'
import type { LoopPorts, Outcome, Report, ToolSet } from '../loop/ports.ts'
import { runAgent } from '../loop/run-agent.ts'
import type { Model } from '../model/port.ts'
import type { AnyTool, ToolContext, Todos, Workspace } from '../tools/port.ts'
import type { Deps } from './deps.ts'
import { RunJournal } from './journal.ts'
import { changeRun, place, stopRun, type LiveRun, type StopReason } from './live-run.ts'
import { readMessages } from './messages.ts'
import { permit } from './permit.ts'
import type { Change } from './recorder.ts'
import { reportOutput } from './reports.ts'
import { refuseTask, spawn, spawnable, type SystemText } from './spawn.ts'
import { messageText } from './stored-events.ts'
import { createTaskTool } from './task-tool.ts'
import { createRegistry } from '../tools/registry.ts'

/** What the runs of one conversation share. */
export interface Scope {
  readonly deps: Deps
  readonly workspace: Workspace
  readonly systemText: SystemText
}

/** Drives a run until it has stopped, and its children with it. What it came to is in its row and its events. */
export async function driveRun(scope: Scope, run: LiveRun): Promise<void> {
  const journal = createJournal(scope, run)
  run.journal = journal
  try {
    const outcome = await outcomeOf(scope, run, journal)
    await endBelow(scope, run)
    await scope.deps.recorder.record(run.row.conversationId, (change) =>
      endRun(change, scope.deps, run, outcome),
    )
  } catch (error) {
    await abandon(scope, run, error)
    throw error
  } finally {
    run.markStopped()
  }
}

async function endBelow({ deps }: Scope, run: LiveRun): Promise<void> {
  if (run.stop) await deps.endProcesses(run.row.id)
  await Promise.all([...run.children.values()].map((child) => child.stopped))
}

/** What could not be written ends the run and everything below it; where the store takes that much, all can see it. */
async function abandon(scope: Scope, run: LiveRun, cause: unknown): Promise<void> {
  stopRun(run, { verb: 'cancel', by: 'parent' })
  await endBelow(scope, run)
  const error = runError(cause)
  const report: Report = { messageId: null, text: '', note: `no text: ${error.message}` }
  const write = (change: Change) => {
    run.row = change.tx.get('runs', run.row.id) ?? run.row // as it is on disk, whatever the failed write meant it to be
    if (!isStopped(run.row.status)) endRun(change, scope.deps, run, { type: 'failed', error, report })
  }
  await scope.deps.recorder.record(run.row.conversationId, write).catch(() => {})
}

function runError(error: unknown): RunError {
  const { code, hint } =
    error instanceof OffshootError ? error : { code: 'internal' as const, hint: undefined }
  return { code, message: errorMessage(error), ...(hint ? { hint } : {}) }
}

function createJournal(scope: Scope, run: LiveRun): RunJournal {
  const { recorder, bus, clock, newId } = scope.deps
  return new RunJournal(run, {
    recorder,
    bus,
    clock,
    newId,
    spawn: (change, parent, call) => spawn(change, scope.deps, parent, call, scope.systemText),
  })
}

async function outcomeOf(scope: Scope, run: LiveRun, journal: RunJournal): Promise<Outcome> {
  const { bus, clock } = scope.deps
  let model: Model
  try {
    const { signal } = run.controller
    model = await unlessAborted(scope.deps.resolveModel(run.row.model), signal, clock, 0)
  } catch (error) {
    return unresolved(error, run)
  }
  const { agent, depth, turns, limits } = run.row
  const context = buildContext(readTree(scope.deps, run), run.row.branchId)
  const events = runAgent({ agent, depth, context, turns, limits }, loopPorts(scope, run, model, journal))
  for (;;) {
    const { done, value } = await events.next()
    if (done) return value
    bus.live({ ...value, ...place(run, clock.now()) })
  }
}

function unresolved(error: unknown, run: LiveRun): Outcome {
  const report: Report = { messageId: null, text: '', note: 'no text: the model could not be used' }
  const { aborted, reason } = run.controller.signal
  return aborted ? { type: 'stopped', reason, report } : { type: 'failed', report, error: runError(error) }
}

function readTree({ store }: Deps, run: LiveRun): ConversationTree {
  const branches = store.find('branches', { where: { conversationId: run.row.conversationId } })
  return {
    branches: new Map(branches.map((branch) => [branch.id, branch])),
    messages: (id) => readMessages(store, id),
  }
}

function loopPorts(scope: Scope, run: LiveRun, model: Model, journal: RunJournal): LoopPorts {
  const { clock, newId, random } = scope.deps
  return {
    model,
    tools: toolsOf(scope, run),
    journal,
    permit: (request) => permit(scope.deps, run, scope.workspace, request),
    toolContext: (callId, emit) => toolContext(scope, run, callId, emit),
    clock,
    newId,
    random,
    signal: run.controller.signal,
    stop: (why) => stopRun(run, { verb: 'pause', why }),
  }
}

function toolsOf(scope: Scope, run: LiveRun): ToolSet {
  const agents = spawnable(scope.deps, run.agent, run.row.depth)
  if (agents.length === 0) return { ...createRegistry(run.tools), refusal: (name) => refuseTask(run, name) }
  const task = createTaskTool(agents, (callId) => childReport(scope, run, callId)) as unknown as AnyTool
  return createRegistry([...run.tools, task])
}

/** The child's end writes the result of this call itself (D2); that of a paused child stays open. */
async function childReport(scope: Scope, run: LiveRun, callId: CallId) {
  const child = run.children.get(callId)!
  if (run.stop) stopRun(run, run.stop) // the child came after the stop
  await driveRun(scope, child).catch((error: unknown) => run.journal!.fail(error))
  return { text: '' }
}

function toolContext(scope: Scope, run: LiveRun, callId: CallId, emit: (text: string) => void): ToolContext {
  const { conversationId, branchId, id: runId, agent, depth } = run.row
  return {
    signal: run.controller.signal,
    workspace: scope.workspace,
    run: { conversationId, branchId, runId, callId, agent, depth },
    files: run.files,
    todos: todosOf(scope.deps, run),
    decidedPaths: run.decidedPaths.get(callId) ?? [],
    processMarks: { OFFSHOOT_OWNER: scope.deps.owner, OFFSHOOT_RUN_ID: runId },
    ...(scope.deps.guard && { guard: scope.deps.guard }),
    emit,
  }
}

function todosOf({ store, recorder }: Deps, { row }: LiveRun): Todos {
  const { branchId, conversationId } = row
  return {
    list: () => (store.get('todos', branchId)?.items ?? []) as ReturnType<Todos['list']>,
    replace: (items) =>
      recorder.record(conversationId, ({ tx, at }) => {
        const next = { branchId, conversationId, items, updatedAt: at }
        if (tx.get('todos', branchId)) tx.update('todos', branchId, next)
        else tx.insert('todos', next)
      }),
  }
}

/** The end, the report so far, and what the parent is owed: one transaction (D2). */
function endRun(change: Change, deps: Deps, run: LiveRun, outcome: Outcome): void {
  const { report } = outcome
  const error = outcome.type === 'failed' ? outcome.error : null
  const { messageId: reportMessageId, note: reportNote } = report
  const stopNo = run.row.stopNo + 1
  const { toolCalls, lastAction } = run.row
  const to = endState(outcome, run.stop)
  if (to.status === 'cancelled') cancelPaused(change, deps, run)
  changeRun(
    change,
    run,
    to,
    { reportMessageId, reportNote, error, stopNo, toolCalls, lastAction },
    reportMessageId ? report.text : null,
  )
  if (run.parent && run.call && isOwed(run)) deliver(change, deps, run.parent, run, report)
}

/** A cancel is final for all that is below: also for what had paused before it came. */
function cancelPaused(change: Change, deps: Deps, run: LiveRun): void {
  for (const child of run.children.values()) {
    cancelPaused(change, deps, child)
    if (child.row.status !== 'paused') continue
    const waitedFor = !isOwed(child)
    const { reportMessageId: messageId, reportNote: note } = child.row
    const text = messageId ? messageText(change.tx, messageId) : ''
    changeRun(
      change,
      child,
      state.cancelled('parent'),
      { stopNo: child.row.stopNo + 1 },
      messageId ? text : null,
    )
    if (waitedFor) deliver(change, deps, run, child, { messageId, text, note })
  }
}

function endState(outcome: Outcome, stop: StopReason | undefined): RunState {
  switch (outcome.type) {
    case 'completed':
      return state.completed
    case 'limit':
      return state.paused('max_turns')
    case 'failed':
      return state.failed
    case 'stopped': {
      const reason = stop ?? (outcome.reason as StopReason)
      return reason.verb === 'cancel' ? state.cancelled(reason.by) : state.paused(reason.why)
    }
  }
}

/** While a child is paused by the user, its parent or a restart, the call that waits for it stays open (runtime.md §2). */
function isOwed({ row }: LiveRun): boolean {
  return (
    row.status !== 'paused' || !(row.reason === 'user' || row.reason === 'parent' || row.reason === 'restart')
  )
}

function deliver(change: Change, deps: Deps, parent: LiveRun, run: LiveRun, report: Report): void {
  const { part, title } = run.call!
  const status = run.row.status === 'failed' || run.row.status === 'cancelled' ? 'failed' : 'completed'
  const output = reportOutput(change, deps, run, report)
  parent.journal!.writeResult(change, { part, title, status, output, exitCode: null, error: run.row.error })
  change.event({
    type: 'report.delivered',
    ...place(parent, change.at),
    callId: part.callId,
    fromRunId: run.row.id,
    toBranchId: parent.row.branchId,
    status: run.row.status,
  })
}
