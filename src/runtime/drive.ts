import { buildContext, type ConversationTree } from '../core/build-context.ts'
import { errorMessage, OffshootError } from '../core/errors.ts'
import type { RunError } from '../core/run.ts'
import { isStopped } from '../core/run-status.ts'
import type { CallId } from '../core/ids.ts'
import { unlessAborted } from '../loop/aborted.ts'
import type { LoopPorts, Outcome, Report, ToolSet } from '../loop/ports.ts'
import { runAgent } from '../loop/run-agent.ts'
import type { Model } from '../model/port.ts'
import type { AnyTool, ToolContext, Todos } from '../tools/port.ts'
import type { Deps } from './deps.ts'
import { readBeforeEnd, startedText } from './background.ts'
import { endRun } from './end-run.ts'
import { RunJournal } from './journal.ts'
import { place, stopRun, type LiveRun } from './live-run.ts'
import { readMessages } from './messages.ts'
import { permit } from './permit.ts'
import type { Change } from './recorder.ts'
import { waitForChild, whileChildrenRun } from './child-waits.ts'
import type { Scope } from './scope.ts'
import { untilRunning } from './slots.ts'
import { refuseTask, spawn, spawnable } from './spawn.ts'
import { createControlTools } from './task-control.ts'
import { createTaskTool } from './task-tool.ts'
import { createRegistry } from '../tools/registry.ts'

/** Drives a run until it has stopped, and its children with it. What it came to is in its row and its events. */
export async function driveRun(scope: Scope, run: LiveRun): Promise<void> {
  const journal = createJournal(scope, run)
  run.journal = journal
  try {
    const outcome = await outcomeOf(scope, run, journal)
    await endBelow(scope, run)
    await scope.deps.recorder.record(run.row.conversationId, (change) => endRun(change, scope, run, outcome))
  } catch (error) {
    await abandon(scope, run, error)
    throw error
  } finally {
    scope.deps.scheduler.leave(run.row.id)
    run.markStopped()
  }
}

async function endBelow({ deps }: Scope, run: LiveRun): Promise<void> {
  if (run.stop) await deps.endProcesses(run.row.id)
  const below = [...run.children.values()].filter((child) => run.stop || !child.row.background)
  await Promise.all(below.map((child) => child.stopped))
}

/** What could not be written ends the run and everything below it; where the store takes that much, all can see it. */
async function abandon(scope: Scope, run: LiveRun, cause: unknown): Promise<void> {
  stopRun(run, { verb: 'cancel', by: 'parent' })
  await endBelow(scope, run)
  const error = runError(cause)
  const report: Report = { messageId: null, text: '', note: `no text: ${error.message}` }
  const write = (change: Change) => {
    run.row = change.tx.get('runs', run.row.id) ?? run.row // as it is on disk, whatever the failed write meant it to be
    if (!isStopped(run.row.status)) endRun(change, scope, run, { type: 'failed', error, report })
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
    store: scope.deps.store,
    recorder,
    bus,
    clock,
    newId,
    unspawn: (child) => scope.deps.scheduler.leave(child.row.id),
    spawn: (change, parent, call) => spawn(change, scope.deps, parent, call, scope.systemText),
  })
}

async function outcomeOf(scope: Scope, run: LiveRun, journal: RunJournal): Promise<Outcome> {
  const { bus, clock } = scope.deps
  let model: Model
  try {
    const { signal } = run.controller
    await untilRunning(scope.deps, run)
    await journal.steers() // what was said before it began stands in its first context
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
  const { aborted, reason } = run.controller.signal
  const why = aborted ? 'the run was stopped before it began' : 'the model could not be used'
  const report: Report = { messageId: null, text: '', note: `no text: ${why}` }
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
    whileChildrenRun: (calls) => whileChildrenRun(scope.deps, run, calls),
    untilSlot: () => untilRunning(scope.deps, run),
    beforeEnd: () => readBeforeEnd(scope.deps, run, journal),
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
  return createRegistry([...run.tools, task, ...createControlTools(scope, run)])
}

/** The child's end writes the result of this call itself (D2); that of a paused child stays open. */
async function childReport(scope: Scope, run: LiveRun, callId: CallId) {
  const child = run.children.get(callId)!
  if (run.stop) stopRun(run, run.stop) // the child came after the stop
  const driven = scope.tree.drive(child)
  if (child.row.background) return { text: startedText(scope.deps, child) } // the conversation keeps what fails
  await waitForChild(scope.deps, run, child, driven).catch((error: unknown) => run.journal!.fail(error))
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
