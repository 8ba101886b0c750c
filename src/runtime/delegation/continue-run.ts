import { OffshootError } from '../../core/errors.ts'
import type { Author, Said } from '../../core/message.ts'
import type { ModelSettings } from '../../core/model-settings.ts'
import { noSetup, type Run } from '../../core/run.ts'
import type { BranchId } from '../../core/ids.ts'
import { isFinal, isStopped, state, type RunStatus } from '../../core/run-status.ts'
import type { StartedCall } from '../../loop/ports.ts'
import type { Budget } from '../budget/budget.ts'
import type { Deps } from '../context/deps.ts'
import { addToInbox, deliverWaiting, promoteWaiting } from '../run/inbox.ts'
import {
  ancestorsOf,
  authorOfRun,
  changeRun,
  checkUnchanged,
  createLiveRun,
  eventScope,
  isBeingCancelled,
  replaceChild,
  runEvent,
  startAttempt,
  type LiveRun,
} from '../run/live-run.ts'
import { appendMessage, readMessages } from '../run/messages.ts'
import { endOpenCalls, endLeft, type EndLeftPorts } from '../journal/open-calls.ts'
import type { OpenJournalPorts } from '../journal/open-journal.ts'
import { hasOpenCalls, readOpenTurn } from '../journal/open-turn.ts'
import { unpause } from '../run/pause-run.ts'
import type { Change } from '../log/recorder.ts'
import type { RunTree, ScopePart } from '../context/scope.ts'
import { requestSlot } from '../run/slots.ts'
import { freshFigures } from './spawn-child.ts'
import { checkKept } from './kept-settings.ts'
import { freshCaps, ownTurns } from './run-limits.ts'
import { setupAfter } from './run-settings.ts'
import { toldWhereCut } from '../../core/report/answer-texts.ts'
import { TOLD_TO_GO_ON } from '../task/task-input.ts'

export interface ContinueOrder {
  /** The first instruction; default: `CONTINUE`. */
  readonly text?: string | undefined
  /** Its author unless an agent's call asked (`by`); default: a person. */
  readonly author?: Author | undefined
  /** `provider/model` of a usable model; default: the current one. */
  readonly model?: string | undefined
  /** The text of added files (`given-files.ts`), from the runtime. */
  readonly files?: string | undefined
  /** Additional turns; default: as many as its agent has. */
  readonly maxTurns?: number | undefined
  /** Model settings; they override what the run has kept. */
  readonly settings?: ModelSettings | undefined
  /** Money and tokens beyond those already spent; default: as much as its spawn or its definition gave. */
  readonly maxCostUsd?: number | undefined
  readonly maxTokens?: number | undefined
  /** false discards its report, so that its parent is not woken. */
  readonly wake?: boolean | undefined
  /** The agent that asks for it, and the call that its report answers. */
  readonly by?:
    | { readonly parent: LiveRun; readonly call: StartedCall; readonly background: boolean }
    | undefined
}

/** Options that an agent's call does not have. */
export type OrderOfPerson = Pick<
  ContinueOrder,
  'text' | 'author' | 'model' | 'files' | 'maxTurns' | 'settings' | 'wake'
>

export type ContinuePorts = EndLeftPorts & Pick<Deps, 'config'>
export type ContinueScope = ScopePart<ContinuePorts, 'below' | 'budget'>

/**
 * Resumes a stopped run. A paused run is queued again with the children that its pause had stopped; after any other a
 * new run starts on the branch. Returns the runs to drive, this one first. Their attempts have to be over: see
 * `attemptsOver`.
 */
export function continueRun(
  change: Change,
  { deps, tree }: ContinueScope,
  run: LiveRun,
  order: ContinueOrder,
): readonly LiveRun[] {
  checkNoCancelAbove(run)
  const [lacking] = [run, ...pausedBelow(tree, run)].flatMap(({ lacksTools }) => lacksTools ?? [])
  if (lacking) throw lacking
  if (order.wake === false) checkUnreported(change, run)
  const isOver = isFinal(run.row.status)
  if (isOver) endLeft(change, deps, run) // for a run whose last writes were lost
  const { budget } = tree
  const next = isOver ? followingRun(deps, budget, run, order) : sameRun(change, { deps, budget }, run, order)
  const given = saidOf(order)
  const whereCut =
    given || order.files ? undefined : toldWhereCut(run.row, readMessages(change.tx, run.row.branchId))
  next.goesOn = whereCut !== undefined
  const said = given ?? whereCut ?? TOLD_TO_GO_ON
  const instruction = { said, isGiven: given !== undefined, files: order.files, by: order.by }
  addInstruction(change, deps, next, instruction)
  queueAgain(change, deps, next, said.text)
  budget.attach(next.held)
  return [next, ...pausedBelow(tree, run).map((child) => resumeChild(change, deps, budget, child))]
}

/** A cancel covers everything below: nothing may start there between its request and its end. */
function checkNoCancelAbove(run: LiveRun): void {
  const cancelled = ancestorsOf(run).find(isBeingCancelled)
  if (!cancelled) return
  const { branchId } = run.row
  const message = `${branchId} is below ${cancelled.row.branchId}, which is being cancelled`
  throw new OffshootError('conflict', message, {
    hint: `offshoot continue ${branchId} TEXT, once the cancel is done`,
  })
}

export interface ContinueResult {
  readonly outcome: 'continued' | 'steered'
  /** The run itself, or the new one after it. */
  readonly run: LiveRun
  /** Runs to drive. */
  readonly drive: readonly LiveRun[]
}

/**
 * Continues a run in any state. An active run gets the text at its next turn, and a pending pause is revoked; without a
 * text there is nothing to send.
 */
export function continueOrSteer(
  change: Change,
  { deps, tree }: ContinueScope,
  run: LiveRun,
  order: OrderOfPerson,
): ContinueResult {
  if (isStopped(run.row.status)) {
    const drive = continueRun(change, { deps, tree }, run, order)
    return { outcome: 'continued', run: drive[0]!, drive }
  }
  if (order.wake === false) throw notStopped(run.row.branchId, run.row.status)
  checkKept(run.row, order)
  const wasToPause = Boolean(run.row.pausing)
  const below = tree.below(run.row.branchId).filter(({ row }) => row.pausing === 'parent')
  unpause(change, [run, ...below])
  const drive = pausedBelow(tree, run).map((child) => resumeChild(change, deps, tree.budget, child))
  const files = filesOf(order)
  const said = saidOf(order) ?? (wasToPause || files ? undefined : TOLD_TO_GO_ON)
  if (!said && !files) return { outcome: 'continued', run, drive }
  const { conversationId, branchId } = run.row
  for (const each of [files, said])
    if (each) {
      const item = { conversationId, branchId, kind: 'user', mode: 'steer', ...each } as const
      addToInbox(change, deps.newId, eventScope(run, change.at), item)
    }
  return { outcome: 'steered', run, drive }
}

/** An active run reports as planned: only a new run can be asked not to wake its parent. */
export function notStopped(branchId: BranchId, status: RunStatus): OffshootError {
  const message = `${branchId} is ${status}: whether its report wakes its parent can no longer change`
  return new OffshootError('conflict', message, { hint: LEAVE_OUT })
}

/** The first instruction and its author; undefined: none. */
function saidOf({
  text,
  author = 'person',
  by,
}: Pick<ContinueOrder, 'text' | 'author' | 'by'>): Said | undefined {
  const trimmed = text?.trim()
  return trimmed ? { text: trimmed, author: by ? authorOfRun(by.parent) : author } : undefined
}

function filesOf({ files }: Pick<ContinueOrder, 'files'>): Said | undefined {
  return files === undefined ? undefined : { text: files, author: 'runtime' }
}

/**
 * Settles when the attempts of a stopped or stopping run, and of those that resume with it, are over, so that new ones
 * can start.
 */
export async function attemptsOver(tree: Pick<RunTree, 'below'>, run: LiveRun): Promise<void> {
  const over = [run, ...pausedBelow(tree, run)].filter(({ row, stop }) => isStopped(row.status) || stop)
  await Promise.all(over.map((each) => each.stopped))
}

/**
 * Children paused because this run was to stop, whose process exited before the run stopped. Queued again in the change
 * that queues the run.
 */
export function resumeStoppedBelow(
  change: Change,
  { deps, tree }: ContinueScope,
  run: LiveRun,
): readonly LiveRun[] {
  return pausedBelow(tree, run)
    .filter(({ row, unusable, lacksTools }) => row.reason === 'parent' && !unusable && !lacksTools)
    .map((child) => resumeChild(change, deps, tree.budget, child))
}

/** Runs that stopped because this run stopped, or with it in a restart, nearest first. */
function pausedBelow(tree: Pick<RunTree, 'below'>, run: LiveRun): LiveRun[] {
  const children = tree
    .below(run.row.branchId)
    .filter(({ parent }) => parent?.row.branchId === run.row.branchId)
  const paused = children.filter(
    ({ row }) => row.status === 'paused' && (row.reason === 'parent' || row.reason === 'restart'),
  )
  return paused.flatMap((child) => [child, ...pausedBelow(tree, child)])
}

function sameRun(
  change: Change,
  { deps, budget }: { readonly deps: OpenJournalPorts & Pick<Deps, 'config'>; readonly budget: Budget },
  run: LiveRun,
  order: ContinueOrder,
): LiveRun {
  checkUnchanged(change, run)
  const limits = limitsAfter(deps, budget, run, order)
  endOpenCalls(change, deps, run) // its process was gone when a person paused it
  startAttempt(run)
  if (order.by) replaceChild(run, undefined)
  const asked = order.by && askedBy(order.by)
  if (asked) Object.assign(run, { parent: order.by?.parent, call: asked.call })
  // if no call waits for it any more, its report goes to the inbox
  const waits = run.call && change.tx.get('tool_calls', run.call.part.callId)?.resultPartId === null
  const background = run.row.parentRunId === null ? run.row.background : !waits
  const unreported = order.wake === false ? true : null
  run.held.setAsker({ ...(asked ? asked.row : { background }), unreported })
  if (order.model !== undefined) run.held.setModel(order.model)
  const setup = setupAfter(deps, run, order)
  run.held.count({ limits, setup })
  const { parentRunId, originCallId, background: inBackground, model } = run.row
  change.tx.update('runs', run.row.id, {
    parentRunId,
    originCallId,
    background: inBackground,
    model,
    limits,
    setup,
    unreported,
  })
  return run
}

/** Refuses options without an effect; a call that waits for a report must get it. */
function checkUnreported({ tx }: Pick<Change, 'tx'>, { row }: LiveRun): void {
  const branch = tx.get('branches', row.branchId)
  const waits =
    row.originCallId !== null &&
    !row.background &&
    tx.get('tool_calls', row.originCallId)?.resultPartId === null
  if (branch?.kind !== 'subagent') throw wakesNobody(row.branchId)
  if (waits)
    throw new OffshootError('conflict', `a call of its parent waits for the report of ${row.branchId}`, {
      hint: LEAVE_OUT,
    })
}

const LEAVE_OUT = 'leave out --no-wake (wake: false)'

/** For a branch that is not a subagent's. */
export function wakesNobody(branchId: BranchId): OffshootError {
  const message = `the report of ${branchId} goes to no other branch, so there is no agent to wake`
  return new OffshootError('conflict', message, { hint: LEAVE_OUT })
}

/** Same agent, model, rules and tools; its own turns and figures. */
function followingRun(
  deps: Pick<Deps, 'clock' | 'config' | 'newId'>,
  budget: Budget,
  last: LiveRun,
  order: ContinueOrder,
): LiveRun {
  const asked = order.by && askedBy(order.by)
  const alone = { originCallId: null, background: last.row.depth > 0 }
  const row: Run = {
    ...last.row,
    ...freshFigures,
    ...state.queued,
    ...(asked?.row ?? alone),
    model: order.model ?? last.row.model,
    unreported: order.wake === false ? true : null,
    id: deps.newId('run'),
    limits: limitsAfter(deps, budget, last, order),
    setup: setupAfter(deps, last, order),
    queuedAt: deps.clock.now(),
    startedAt: null,
  }
  const { agent, chain, opened, tools, unusable } = last
  const parent = order.by?.parent ?? last.parent
  const run = createLiveRun({ row, agent, chain, opened, tools, parent, call: asked?.call, unusable })
  replaceChild(last, order.by ? undefined : run)
  return run
}

function askedBy({ parent, call, background }: NonNullable<ContinueOrder['by']>) {
  const row = { parentRunId: parent.row.id, originCallId: call.part.callId, background }
  return { row, call: background ? undefined : call }
}

/**
 * In the same run, turns, money and tokens continue to count, and the same amount is reserved again. @throws ToolError
 * with the figures if a subagent asks for more than there is, or nothing is left.
 */
function limitsAfter(
  deps: Pick<Deps, 'config'>,
  budget: Budget,
  { row, agent }: LiveRun,
  order: ContinueOrder,
): Run['limits'] {
  const { maxCostUsd: usd, maxTokens: tokens, by } = order
  const parentRunId = by ? by.parent.row.id : row.parentRunId
  if (by) budget.reserve(parentRunId, { asked: { usd, tokens } }, by.parent.row)
  else if (row.depth > 0) checkRest(budget, row)
  const setup = {
    ...(row.setup ?? noSetup),
    ...(usd === undefined ? {} : { maxCostUsd: usd }),
    ...(tokens === undefined ? {} : { maxTokens: tokens }),
  }
  const caps = freshCaps(budget, { depth: row.depth, parentRunId, setup }, agent)
  const { growsTo: _1, asked: _2, ...limits } = row.limits
  const turns = order.maxTurns ?? ownTurns(deps, agent, row.depth)
  if (isFinal(row.status)) return { ...limits, maxTurns: turns, ...caps }
  return { ...limits, maxTurns: row.turns + turns, ...budget.beyond(row, caps) }
}

function checkRest(budget: Budget, { branchId, parentRunId }: Run): void {
  const why = budget.nothingFree(parentRunId)
  if (why === undefined) return
  const hint = 'continue with --budget-usd gives its conversation more'
  throw new OffshootError('conflict', `${branchId} cannot resume, no budget is free for it: ${why}`, { hint })
}

interface Instruction extends Pick<ContinueOrder, 'by' | 'files'> {
  readonly said: Said
  /** From a person or an agent. */
  readonly isGiven: boolean
}

/**
 * Waiting messages come first; without a text, follow-ups wait until after the run. Nothing may stand between a call
 * and its result: until then, the instruction waits in the inbox for the end of the turn.
 */
function addInstruction(
  change: Change,
  deps: Pick<Deps, 'newId'>,
  run: LiveRun,
  { said, isGiven, files, by }: Instruction,
): void {
  const { conversationId, branchId } = run.row
  const here = eventScope(run, change.at)
  const given = filesOf({ files })
  const all = given ? [given, said] : [said]
  if (hasOpenCalls(readOpenTurn(change.tx, run.row))) {
    if (isGiven) promoteWaiting(change, here)
    const item = { conversationId, branchId, kind: 'user', mode: 'steer' } as const
    for (const each of all) addToInbox(change, deps.newId, here, { ...item, ...each })
    return
  }
  deliverWaiting(change, deps.newId, here, ({ mode }) => isGiven || mode === 'steer')
  const runId = by ? run.row.id : null
  for (const each of all) {
    const parts = [{ id: deps.newId('prt'), type: 'text', ...each } as const]
    appendMessage(change, deps.newId, here, { branchId, role: 'user', parts, runId })
  }
}

/** It resumes with what it had left, as far as that is still free. */
function resumeChild(change: Change, deps: OpenJournalPorts, budget: Budget, child: LiveRun): LiveRun {
  checkUnchanged(change, child)
  const limits = budget.again(child.row)
  endOpenCalls(change, deps, child)
  startAttempt(child)
  child.held.count({ limits })
  change.tx.update('runs', child.row.id, { limits })
  queueAgain(change, deps, child)
  budget.attach(child.held)
  return child
}

/** A new run gets its row. A paused one gets a new attempt, and its earlier crashes no longer count (invariant R7). */
function queueAgain(change: Change, deps: Pick<Deps, 'scheduler'>, run: LiveRun, input?: string): void {
  requestSlot(deps, run, 'end')
  const queued = deps.scheduler.queued(run.row.id)
  const details = { ...(input ? { input: input.slice(0, 2_000) } : {}), ...queued }
  if (run.row.status === 'paused') {
    changeRun(change, run, state.queued, { row: { attempt: 1 }, lastText: details })
    return
  }
  change.tx.insert('runs', run.row)
  change.event(runEvent(run, 'run.queued', change.at, { from: null, ...details }))
}
