import type { Branch } from '../../core/conversation.ts'
import { cutText } from '../../core/cut-text.ts'
import { OffshootError } from '../../core/errors.ts'
import { idPrefix, isId, type BranchId, type IdPrefix, type NewId } from '../../core/ids.ts'
import type { Author, Said } from '../../core/message.ts'
import { isCompleteAnswer, toldBehind } from '../../core/report/answer-texts.ts'
import type { Run, StoredRun } from '../../core/run.ts'
import { state } from '../../core/run-status.ts'
import type { MessageRow, Reader } from '../../store/port.ts'
import { agentOf, authorityOf, lineOf, type AuthorityPorts } from '../authority/authority.ts'
import type { StartPlan } from './start-plan.ts'
import { nextBranchNumber } from '../log/new-number.ts'
import type { Budget } from '../budget/budget.ts'
import type { Deps } from '../context/deps.ts'
import { startAtOnce, createLiveRun, eventScope, type LiveRun } from '../run/live-run.ts'
import { deliverWaiting } from '../run/inbox.ts'
import { appendMessage } from '../run/messages.ts'
import type { Change } from '../log/recorder.ts'
import { requestSlot } from '../run/slots.ts'
import { freshFigures, emitRunStarted, emitBranchCreated } from '../delegation/spawn-child.ts'
import { freshCaps, freshLimits, limitsOf } from '../delegation/run-limits.ts'
import { lackedTools } from '../delegation/program-setup.ts'
import { describeTask, TOLD_TO_GO_ON } from '../task/task-input.ts'

export interface ForkStart {
  readonly messageId: string
  readonly text: string
  /** Default: a person. */
  readonly author?: Author | undefined
  /** `provider/model`; default: that of the last run on the origin branch. */
  readonly model?: string | undefined
  /** Default: as many as the last run there had, at most its agent's. */
  readonly maxTurns?: number | undefined
  /** Called if nothing has run there. */
  readonly defaultModel: () => Promise<string>
}

export type ForkPorts = ForkRunPorts & Pick<Deps, 'scheduler' | 'store'>
type ForkRunPorts = AuthorityPorts & Pick<Deps, 'newId'>

/** A fork whose first run starts with this text. @throws OffshootError `usage` for an unknown message or agent. */
export async function forkOfPerson(deps: ForkPorts, options: ForkStart): Promise<StartPlan> {
  const message = requireMessage(deps.store, options.messageId)
  const left = deps.store.get('branches', message.branchId)!
  const last = lastRun(deps.store, left)
  const model = options.model ?? last?.model ?? (await options.defaultModel())
  agentOf(deps, last?.agent ?? left.agent)
  const write: StartPlan['write'] = (change, { budget }) => {
    const branch = writeFork(change, deps.newId, message, options.text)
    const run = firstRunOfFork(change, { deps, budget }, branch, { model, maxTurns: options.maxTurns })
    writeFirstRun(change, deps, run, { text: options.text, author: options.author ?? 'person' })
    return run
  }
  const spoken = { author: options.author, branchId: message.branchId }
  return { conversationId: message.conversationId, isNew: false, spoken, write }
}

/** Ports to create a run and its budget. */
interface Paid<Ports> {
  readonly deps: Ports
  readonly budget: Budget
}

/**
 * The first run of a fork created without a text; without one now, the runtime tells it to continue. @throws
 * OffshootError `conflict` if no model is known.
 */
export function startOnFork(
  change: Change,
  { deps, budget }: Paid<ForkRunPorts & Pick<Deps, 'scheduler'>>,
  branchId: BranchId,
  said: { readonly text: string | undefined } & Pick<ForkStart, 'author' | 'model' | 'maxTurns'>,
): LiveRun {
  const branch = change.tx.get('branches', branchId)!
  const last = branch.kind === 'fork' ? lastRun(change.tx, branch) : undefined
  if (!last)
    throw new OffshootError('conflict', `nothing has run on ${branchId} yet`, {
      hint: 'send it a message to start a run there; offshoot fork MESSAGE TEXT starts one on a new branch',
    })
  const { text, author = 'person', model = last.model, maxTurns } = said
  const run = firstRunOfFork(change, { deps, budget }, branch, { model, maxTurns })
  const behindCut = text ? undefined : toldAtOrigin(change.tx, branch)
  run.goesOn = behindCut !== undefined
  writeFirstRun(change, deps, run, text ? { text, author } : (behindCut ?? TOLD_TO_GO_ON))
  return run
}

/** The continuation if the origin answer of the fork was cut; undefined: it was not. */
function toldAtOrigin(reader: Reader, { originMessageId }: Branch): Said | undefined {
  const origin = originMessageId ? reader.get('messages', originMessageId) : undefined
  if (!origin || !isCompleteAnswer(origin)) return undefined
  const parts = reader.find('parts', { where: { messageId: origin.id }, orderBy: 'position' })
  return toldBehind({ role: origin.role, parts: parts.map(({ part }) => part) })
}

/** The message with an id. @throws OffshootError `not_found`; `usage` for another kind of id, with its kind. */
export function requireMessage(store: Reader, id: string): MessageRow {
  const message = isId('msg', id) ? store.get('messages', id) : undefined
  if (message) return message
  const kind = idPrefix(id)
  const shown = id.slice(0, 100)
  const isOther = kind !== undefined && kind !== 'msg'
  const what = isOther
    ? `${shown} is the id of ${KINDS[kind]}, not of a message`
    : `there is no message ${shown}`
  throw new OffshootError(isOther ? 'usage' : 'not_found', what, {
    hint: 'offshoot show ID --ids prints the messages of a conversation with their ids',
  })
}

const KINDS: Readonly<Record<IdPrefix, string>> = {
  cnv: 'a conversation',
  brn: 'a branch',
  msg: 'a message',
  prt: 'a part of a message',
  run: 'a run',
  cal: 'a tool call',
  apr: 'an approval',
  que: 'a question',
  inb: 'an item of an inbox',
  art: 'an artifact',
  cmd: 'a command',
}

/**
 * Writes a branch that sees everything up to and including a message of any branch. It uses the origin branch's agent
 * and rules; its report goes nowhere.
 */
export function writeFork(change: Change, newId: NewId, message: MessageRow, text?: string): Branch {
  const left = change.tx.get('branches', message.branchId)!
  const last = lastRun(change.tx, left)
  const branch: Branch = {
    id: newId('brn'),
    conversationId: left.conversationId,
    kind: 'fork',
    inheritContext: true,
    parentBranchId: left.id,
    originMessageId: message.id,
    originToolCallId: null,
    agent: last?.agent ?? left.agent,
    label: text ? describeTask({ prompt: text }) : cutText(`fork of ${left.label}`, 80),
    createdAt: change.at,
    updatedAt: change.at,
  }
  change.tx.insert('branches', { ...branch, number: nextBranchNumber(change.tx, branch.conversationId) })
  const { conversationId } = branch
  const depth = last?.depth ?? depthOf(change.tx, left)
  const here = { at: change.at, conversationId, branchId: branch.id, runId: null, parentRunId: null, depth }
  emitBranchCreated(change, here, branch)
  return branch
}

interface FirstRun {
  readonly model: string
  readonly maxTurns: number | undefined
}

/**
 * The first run of a fork, not written yet: agent and limits are those of the last run of its origin branch. @throws
 * OffshootError `usage` if the agent is not defined here.
 */
function firstRunOfFork(
  { tx: reader, at }: Pick<Change, 'tx' | 'at'>,
  { deps, budget }: Paid<ForkRunPorts>,
  branch: Branch,
  { model, maxTurns }: FirstRun,
): LiveRun {
  const agent = agentOf(deps, branch.agent)
  const last = lastRun(reader, branch)
  const depth = last?.depth ?? depthOf(reader, branch)
  const limits = last
    ? freshLimits(deps, budget, { ...last, parentRunId: null }, agent)
    : { ...limitsOf(deps, agent, depth, {}), ...freshCaps(budget, { depth, parentRunId: null }, agent) }
  const lacksTools = last && lackedTools(deps.tools, last)
  if (lacksTools) throw lacksTools
  const row: Run = {
    ...freshFigures,
    ...state.queued,
    id: deps.newId('run'),
    conversationId: branch.conversationId,
    branchId: branch.id,
    parentRunId: null,
    originCallId: null,
    depth,
    agent: agent.name,
    model,
    description: branch.label,
    background: false,
    limits: { ...limits, maxTurns: maxTurns ?? limits.maxTurns },
    setup: last?.setup ?? null,
    queuedAt: at,
    startedAt: null,
  }
  return createLiveRun({
    row,
    agent,
    ...authorityOf(deps, reader, branch),
    parent: undefined,
    call: undefined,
  })
}

/**
 * Writes a run that starts with its input, after the waiting messages of its branch. It has a slot, or a place in the
 * queue.
 */
export function writeFirstRun(
  change: Change,
  deps: Pick<Deps, 'newId' | 'scheduler'>,
  run: LiveRun,
  said: Said,
): void {
  if (requestSlot(deps, run, 'end') === 'granted') startAtOnce(change, run)
  try {
    change.tx.insert('runs', run.row)
    const here = eventScope(run, change.at)
    deliverWaiting(change, deps.newId, here)
    const parts = [{ id: deps.newId('prt'), type: 'text', ...said } as const]
    const message = { branchId: run.row.branchId, role: 'user', parts, runId: null } as const
    appendMessage(change, deps.newId, here, message)
    emitRunStarted(change, deps, run, said.text)
  } catch (error) {
    deps.scheduler.release(run.row.id)
    throw error
  }
}

/** The latest run of a branch, or of its origin. */
function lastRun(reader: Reader, branch: Branch): StoredRun | undefined {
  for (const { id } of forkLine(reader, branch)) {
    const last = reader.find('runs', {
      where: { branchId: id },
      orderBy: 'id',
      descending: true,
      limit: 1,
    })[0]
    if (last) return last
  }
  return undefined
}

/** A fork, its origin branch, and so on, up to a branch that is not a fork. */
function forkLine(reader: Reader, branch: Branch): Branch[] {
  const line = lineOf(reader, branch)
  const end = line.findIndex(({ kind }) => kind !== 'fork')
  return end < 0 ? line : line.slice(0, end + 1)
}

function depthOf(reader: Reader, branch: Branch): number {
  return lineOf(reader, branch).filter(({ kind }) => kind === 'subagent').length
}
