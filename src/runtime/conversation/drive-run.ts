import { buildContext, type ConversationTree } from '../../core/build-context.ts'
import { errorMessage, OffshootError } from '../../core/errors.ts'
import type { RunError } from '../../core/run.ts'
import { isFinal, isStopped } from '../../core/run-status.ts'
import type { Usage } from '../../core/usage.ts'
import type { CallId } from '../../core/ids.ts'
import type { ToolCallPart, ToolOutput, ToolResultPart } from '../../core/message.ts'
import { bestEffort, ignoreLateRejection } from '../../core/rejections.ts'
import { unlessAborted } from '../../loop/unless-aborted.ts'
import type { LoopPorts, Outcome, Report, StartedCall, ToolSet, TurnText } from '../../loop/ports.ts'
import { partialReport } from '../../loop/partial-report.ts'
import { runAgent } from '../../loop/run-agent.ts'
import type { Model } from '../../model/port.ts'
import type { Reader } from '../../store/port.ts'
import type { AnyTool, ToolContext, Todos } from '../../tools/port.ts'
import type { Deps } from '../context/deps.ts'
import { isUnboundOffline } from '../delegation/run-limits.ts'
import { directTools, discoveringTools, isUnruled, learnsTools } from '../delegation/discovery/discovery.ts'
import { modelsOfRun } from './models-of-run.ts'
import { settingsInForce } from '../delegation/run-settings.ts'
import { readBeforeEnd, startedAnswer } from '../delegation/background-spawn.ts'
import { checkClaims } from './check-claims.ts'
import { compact } from './compact-conversation.ts'
import { endRun, type EndRunPorts } from '../journal/end-run.ts'
import { DirectoryNotes } from './directory-notes.ts'
import { remindFirstTurn } from './first-turn-reminder.ts'
import type { RunJournal } from '../journal/journal.ts'
import { countCalls } from '../run/count-calls.ts'
import { eventScope, stopRun, stopsBelow, type LiveRun } from '../run/live-run.ts'
import { readMessages } from '../run/messages.ts'
import { offeredTools } from '../delegation/offered-tools.ts'
import { createJournal } from '../journal/open-journal.ts'
import { readLeft, type LeftOfRun, type OpenTurn } from '../journal/open-turn.ts'
import { emitPausing, pauseBetween, pauseHere, pauseSoon } from '../run/pause-run.ts'
import type { ConfinedBy } from '../authority/kept-sandbox.ts'
import { commandsOf, decideFurther, permit } from '../authority/permit.ts'
import { permitSpawn } from '../delegation/permit-spawn.ts'
import type { Change } from '../log/recorder.ts'
import { untilAnswered, untilStopped, whileChildrenRun } from '../run/child-waits.ts'
import type { Scope, ScopePart } from '../context/scope.ts'
import { untilFunded } from '../run/budget-queue.ts'
import { isLeftWaiting, leaveWaiting } from '../run/left-waiting.ts'
import { untilRunning, type SlotDeps } from '../run/slots.ts'
import { refuseTask } from '../delegation/spawn-child.ts'
import { exposedTo, spawnable, type DelegationPorts } from '../delegation/startable-agents.ts'
import { keepFact, namedFrom } from '../run/receipts.ts'
import { createControlTools, type ControlScope } from '../delegation/task-control.ts'
import { STEERED, writeTask } from '../delegation/task-continue.ts'
import { isControlName, isTaskName } from '../task/task-input.ts'
import { createTaskTool } from '../delegation/task-tool.ts'
import { correctReport } from '../delegation/typed/correct-report.ts'
import { nativeReport } from '../delegation/typed/native-report.ts'
import { finishReport } from '../delegation/typed/finish-report.ts'
import { createTypedTool } from '../delegation/typed/typed-tool.ts'
import { createRegistry } from '../../tools/registry.ts'
import { workspaceAt } from '../../tools/workspace-at.ts'

/** Drives a run and its children until it has stopped. Its row and events hold the outcome. */
export async function driveRun(scope: Scope, run: LiveRun): Promise<void> {
  const { markStopped } = run // of this attempt: another one can start as soon as it has stopped
  const take = (change: Change, parent: LiveRun, call: StartedCall) => writeTask(change, scope, parent, call)
  const journal = createJournal(scope.deps, run, take, scope.tree)
  run.journal = journal
  run.held.whenGrown(() => journal.limitsGrown())
  run.isDriven = true
  const left = run.resumed || run.goesOn ? readLeft(scope.deps.store, run.row) : undefined
  if (left?.turn) journal.reopen(left.turn)
  try {
    if (isFinal(run.row.status)) return // cancelled just before it was driven
    const finished = await finishReport(scope, run, await outcomeOf(scope, run, journal, left))
    await endBelow(scope.deps, run)
    const outcome = await checkClaims(scope, run, finished)
    await scope.deps.recorder.record(run.row.conversationId, (change) => {
      if (isLeftWaiting(run)) leaveWaiting(change, run)
      else endRun(change, scope, run, outcome)
    })
  } catch (error) {
    await abandon(scope, run, error)
    throw error
  } finally {
    scope.deps.scheduler.release(run.row.id)
    run.isDriven = false
    markStopped()
    if (run.parent) pauseBetween(run.parent)
  }
}

type EndBelowPorts = SlotDeps & Pick<Deps, 'confinements' | 'endProcesses' | 'ownership'>

async function endBelow(deps: EndBelowPorts, run: LiveRun): Promise<void> {
  await deps.confinements?.end([run.row.id])
  // another process that acquired the conversation may have started others for this run
  const isOurs = deps.ownership?.owns(run.row.conversationId) ?? true
  if (run.stop && isOurs) await deps.endProcesses([run.row.id])
  const below = [...run.children.values()].filter((child) =>
    run.stop ? stopsBelow(run.stop, child) : !child.row.background,
  )
  await untilStopped(deps, run, below)
  await Promise.all(below.map((child) => child.stopped)) // briefly longer than their rows say
}

type EndScope = ScopePart<EndRunPorts, 'below' | 'receipts'>

/** An unwritable result ends the run and everything below it; if the store accepts that much, it is visible. */
async function abandon(
  scope: EndScope & { readonly deps: EndBelowPorts },
  run: LiveRun,
  cause: unknown,
): Promise<void> {
  stopRun(run, { verb: 'cancel', by: 'parent' })
  await endBelow(scope.deps, run)
  const write = (change: Change) => failOpen(change, scope, run, runError(cause))
  await bestEffort(scope.deps.recorder.record(run.row.conversationId, write))
}

/** A run with everything open below it: a subagent's own end may not have been written either. */
function failOpen(change: Change, scope: EndScope, run: LiveRun, error: RunError): void {
  for (const child of run.children.values()) if (!child.isDriven) failOpen(change, scope, child, error)
  // as stored, whatever the failed write meant to change
  const toolCalls = countCalls(change.tx, run.row.id)
  run.held.reload(change.tx.get('runs', run.row.id) ?? run.row)
  run.held.count({ toolCalls })
  if (isStopped(run.row.status)) return
  const report: Report = { messageId: null, text: '', note: `no text: ${error.message}` }
  endRun(change, scope, run, { type: 'failed', error, report })
}

function runError(error: unknown): RunError {
  const { code, hint } =
    error instanceof OffshootError ? error : { code: 'internal' as const, hint: undefined }
  return { code, message: errorMessage(error), ...(hint ? { hint } : {}) }
}

const NOTHING: Pick<LeftOfRun, 'texts' | 'goesOn'> = { texts: [], goesOn: false }

async function outcomeOf(
  scope: Scope,
  run: LiveRun,
  journal: RunJournal,
  left: LeftOfRun | undefined,
): Promise<Outcome> {
  const { bus, clock, starts } = scope.deps
  await starts.admit()
  const model = await modelOnceRunning(scope, run, journal, left)
  if ('type' in model) return model
  const { agent, depth, turns, limits } = run.row
  const context = buildContext(readTree(scope.deps.store, run, left?.turn), run.row.branchId)
  const measured = lastUsage(scope.deps.store, run)
  const { maxIdenticalCalls } = scope.deps.config.limits
  const input = { agent, depth, context, turns, measured, limits, maxIdenticalCalls }
  // a message may have arrived after the run was told to resume
  const { texts, goesOn } = left ? readLeft(scope.deps.store, run.row) : NOTHING
  const before = left && { left: { ...left, texts, goesOn, open: left.turn?.answer } }
  const events = runAgent({ ...input, ...before }, loopPorts(scope, run, model, journal))
  for (;;) {
    const { done, value } = await events.next()
    if (done) return value
    bus.live({ ...value, ...eventScope(run, clock.now()) })
  }
}

/** The outcome if it cannot start. @throws the store's error. */
async function modelOnceRunning(
  { deps, tree: { budget } }: ScopePart<SlotDeps & Pick<Deps, 'resolveModel'>, 'budget'>,
  run: LiveRun,
  journal: RunJournal,
  left: LeftOfRun | undefined,
): Promise<Model | Outcome> {
  if (run.unusable) return unresolved(run.unusable, run, left?.texts)
  const { signal } = run.controller
  try {
    await untilFunded(deps, budget, run)
    await untilRunning(deps, run)
    if (!left?.turn) await journal.steers() // earlier messages are in its first context
  } catch (error) {
    if (!signal.aborted) throw error
    return unresolved(error, run, left?.texts)
  }
  try {
    return await unlessAborted(deps.resolveModel(run.row.model), signal, deps.clock, 0)
  } catch (error) {
    return unresolved(error, run, left?.texts)
  }
}

function lastUsage(store: Reader, { row: { branchId } }: LiveRun): Usage | undefined {
  const where = { branchId, role: 'assistant', state: 'complete' } as const
  const last = store.find('messages', { where, orderBy: 'position', descending: true, limit: 1 })[0]
  return last?.usage ?? undefined
}

function unresolved(error: unknown, run: LiveRun, texts: readonly TurnText[] = []): Outcome {
  const { aborted, reason } = run.controller.signal
  const why = aborted ? 'the run was stopped before it started' : 'the model could not be used'
  const partial = partialReport(texts, why)
  const report: Report = {
    ...partial,
    note: texts.length > 0 ? `${partial.note}; then ${why}` : `no text: ${why}`,
  }
  return aborted ? { type: 'stopped', reason, report } : { type: 'failed', report, error: runError(error) }
}

/** Without the open turn: the loop continues with that. */
function readTree(store: Reader, run: LiveRun, turn?: OpenTurn): ConversationTree {
  return {
    branches: { get: (id) => store.get('branches', id) },
    messages: (id) => {
      const messages = readMessages(store, id)
      if (!turn || id !== run.row.branchId) return messages
      return messages.filter(({ position }) => position < turn.position)
    },
  }
}

function loopPorts(scope: Scope, run: LiveRun, model: Model, journal: RunJournal): LoopPorts {
  const { clock, newId, random, gates } = scope.deps
  const { budget } = scope.tree
  const isUnbound = isUnboundOffline(scope.deps, run.row)
  const notes = model.info.fixed ? undefined : notesOf(scope, run)
  const { turns, aside } = modelsOfRun(model, run, settingsInForce(scope.deps, run))
  return {
    model: turns,
    gate: gates.of(model.info),
    tools: toolsOf(scope, run, journal),
    journal,
    whileChildrenRun: (calls) => whileChildrenRun(scope.deps, run, calls),
    untilSlot: () => untilRunning(scope.deps, run),
    beforeTurn: () => pauseHere(run),
    beforeEnd: async (report) => {
      const more = await readBeforeEnd(scope.deps, run, journal)
      if (more.length > 0) return more
      // an offline model follows rules: instructions make no difference
      const reminder = model.info.fixed ? [] : await remindFirstTurn(scope, run, journal, report)
      return reminder.length > 0 ? reminder : await correctReport(scope.deps.store, run, journal, report)
    },
    resume: (part) => resumeCall(scope, run, journal, part),
    permit: async (request) => {
      if (isUnruled(request.tool, run.chain)) return { allowed: true }
      if (request.tool.effects === 'spawn') return await permitSpawn(scope, run, request)
      return await permit(scope, run, request)
    },
    toolContext: (callId, emit) => toolContext(scope, run, callId, emit),
    notes: (callId) => notes?.of(callId),
    clock,
    newId,
    random,
    signal: run.controller.signal,
    secrets: scope.deps.secrets,
    budget: {
      reached: () => (isUnbound ? undefined : budget.reached(run.row)),
      ask: (estimate) => (isUnbound ? NOTHING_HELD : budget.ask(run.row, estimate)),
      spend: (answer) => budget.spend(run.row, answer),
    },
    compact: async (tokens, isRefused) => {
      const compacted = await compact(scope, run, aside, { tokens, isRefused })
      if ('context' in compacted) notes?.forget()
      return compacted
    },
    answerForm: nativeReport(scope.deps.store, run),
    stop: (why) => stopRun(run, { verb: 'pause', why }),
    timed: (leftMs) => (run.timeLeftMs = leftMs),
  }
}

type NotesScope = Pick<Scope, 'workspace' | 'systemText'> & { readonly deps: Pick<Deps, 'store'> }

function notesOf({ deps, workspace, systemText }: NotesScope, run: LiveRun): DirectoryNotes {
  const directory = run.row.setup?.directory ?? null
  const mayRead = (value: string) =>
    decideFurther({ deps, workspace }, run, READ, { kind: 'path', value }) === 'allow'
  const find = (file: string) => systemText.findNotesFor?.(file, directory)
  return new DirectoryNotes(run, { root: workspace.root, find, mayRead, tree: readTree(deps.store, run) })
}

const READ = { name: 'read', toolset: 'files', effects: 'none' } as const

const NOTHING_HELD = { release: () => {} }

type ToolScope = ControlScope & ReportScope & { readonly deps: DelegationPorts & Pick<Deps, 'taskTexts'> }

function toolsOf(scope: ToolScope, run: LiveRun, journal: RunJournal): ToolSet {
  const { deps } = scope
  const { agent, row } = run
  const report = (callId: CallId) => childReport(scope, run, journal, callId)
  const agents = spawnable(deps, agent, row.depth)
  const { store } = deps
  const agentOf = (id: string) => (store.get('branches', id) ?? store.get('runs', id))?.agent ?? ''
  const task = agents.length > 0 ? [createTaskTool(deps.taskTexts, agents, report, agentOf)] : []
  const typed = [...exposedTo(deps, agent, row.depth)].map(([name, target]) =>
    createTypedTool(name, target, deps.config, report),
  )
  const starting = [...task, ...typed] as unknown as AnyTool[]
  const delegates = starting.length > 0
  const controls = delegates ? createControlTools(scope, run) : []
  const registry = createRegistry([...offeredTools(run), ...starting, ...controls])
  const refusal = (name: string) =>
    delegates && isControlName(name) ? undefined : refuseTask(deps, run, name)
  const tools = { ...registry, refusal }
  return learnsTools(deps, run, tools.list())
    ? discoveringTools(tools, deps.config.discovery)
    : directTools(tools)
}

/** A call that already has its result, or its subagent, from an earlier attempt. */
function resumeCall(
  scope: ReportScope & { readonly deps: Pick<Deps, 'store'> },
  run: LiveRun,
  journal: RunJournal,
  part: ToolCallPart,
): Promise<ToolResultPart> | undefined {
  if (!run.resumed) return undefined
  const result = journal.resultOf(part.callId)
  if (result) return Promise.resolve(result)
  const row = scope.deps.store.get('tool_calls', part.callId)
  const isMessage = isTaskName(part.tool) && row?.status === 'running' // one sent to an active run
  if (!row || !(run.children.has(part.callId) || isMessage)) return undefined
  const { title } = row
  const ended = { part, title, status: 'completed', exitCode: null, error: null } as const
  return childReport(scope, run, journal, part.callId).then((output) =>
    journal.callEnded({ ...ended, output }),
  )
}

type ReportScope = ScopePart<SlotDeps & Pick<Deps, 'bus'>, 'attach' | 'below'>

/** The child's end writes the result of this call (invariant D2); the call of a paused child stays open. */
async function childReport(
  scope: ReportScope,
  run: LiveRun,
  journal: RunJournal,
  callId: CallId,
): Promise<ToolOutput> {
  const child = run.children.get(callId)
  if (run.stop) stopRun(run, run.stop) // the child stopped after this run's stop
  if (!child) return { text: STEERED }
  if (run.row.pausing && !child.row.background) {
    pauseSoon(child, 'parent') // and after that
    emitPausing(scope.deps, [child])
  }
  const stops = () => scope.tree.attach(child)
  for (const below of scope.tree.below(child.row.branchId))
    if (!isStopped(below.row.status)) ignoreLateRejection(scope.tree.attach(below)) // kept, as below
  if (child.row.background) {
    ignoreLateRejection(stops()) // the conversation keeps the error
    return startedAnswer(scope.deps, child)
  }
  const isAnswered = () => !journal.isOpen(callId)
  await untilAnswered(scope.deps, run, child, { stops, isAnswered }).catch((error: unknown) =>
    journal.fail(error),
  )
  return { text: '' }
}

type ToolContextPorts = ConfinedBy & Pick<Deps, 'guard' | 'owner' | 'questions' | 'recorder'>

function toolContext(
  { deps, workspace }: Pick<Scope, 'workspace'> & { readonly deps: ToolContextPorts },
  run: LiveRun,
  callId: CallId,
  emit: (text: string) => void,
): ToolContext {
  const { conversationId, branchId, id: runId, agent, depth, setup } = run.row
  const directory = setup?.directory
  return {
    signal: run.controller.signal,
    workspace: directory ? workspaceAt(workspace, directory) : workspace,
    run: { conversationId, branchId, runId, callId, agent, depth },
    files: run.files,
    todos: todosOf(deps, run),
    context: setup?.context,
    decidedPaths: run.decidedPaths.get(callId) ?? [],
    decide: (tool, subject) => decideFurther({ deps, workspace }, run, tool, subject),
    ask: (question) => deps.questions.ask(run, callId, question),
    processMarks: { OFFSHOOT_OWNER: deps.owner, OFFSHOOT_RUN_ID: runId },
    ...(deps.guard && { guard: deps.guard }),
    cell: commandsOf({ deps, workspace }, run),
    emit,
    receipt: (fact) => keepFact(run, callId, namedFrom(workspace.root, fact)),
  }
}

function todosOf({ store, recorder }: Pick<Deps, 'store' | 'recorder'>, { row }: LiveRun): Todos {
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
