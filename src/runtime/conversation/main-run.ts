import { parseRun } from '../../core/run-steps.ts'
import type { Json } from '../../core/json.ts'
import type { AgentDefinition, JsonSchema, Rule } from '../../core/agent.ts'
import type { Branch } from '../../core/conversation.ts'
import type { Author } from '../../core/message.ts'
import type { ModelSettings } from '../../core/model-settings.ts'
import { OffshootError } from '../../core/errors.ts'
import type { BranchId, ConversationId, NewId } from '../../core/ids.ts'
import { noSetup, type Run } from '../../core/run.ts'
import { isFinal, isStopped, state } from '../../core/run-status.ts'
import type { InboxRow, Tx } from '../../store/port.ts'
import { narrow, rootAuthority, type Authority, type AuthorityPorts } from '../authority/authority.ts'
import type { RunSetting } from '../context/run-setting.ts'
import type { StartPlan } from './start-plan.ts'
import type { Budget } from '../budget/budget.ts'
import { readDefinedFiles } from '../delegation/context-files.ts'
import { continueRun, type ContinuePorts } from '../delegation/continue-run.ts'
import { checkKept } from '../delegation/kept-settings.ts'
import type { Deps } from '../context/deps.ts'
import { writeFirstRun } from './fork-branch.ts'
import { addToInbox } from '../run/inbox.ts'
import { createLiveRun, eventScope, type LiveRun } from '../run/live-run.ts'
import { nameAfter, newConversation, openConversation, writeConversation } from './open-conversation.ts'
import { appendMessage } from '../run/messages.ts'
import type { Change } from '../log/recorder.ts'
import { replaceRestrictions, storeRestrictions } from '../authority/restrictions.ts'
import { aboutRun, freshFigures } from '../delegation/spawn-child.ts'
import { freshCaps, ownTurns } from '../delegation/run-limits.ts'
import { keptSettings } from '../delegation/run-settings.ts'
import { recoded } from '../delegation/recoded.ts'
import { programSetup } from '../delegation/program-setup.ts'

export interface StartOptions extends RunSetting {
  readonly prompt: string
  /** Author of the prompt; default: a person. */
  readonly author?: Author | undefined
  readonly agent: AgentDefinition
  /** `provider/model`. */
  readonly model: string
  /** Whether the model was named for this run: resuming with another one is then refused. */
  readonly isModelNamed?: boolean
  /** The same for the agent. */
  readonly isAgentNamed?: boolean
  readonly maxTurns?: number
  /** If the last run is active, the text waits in the inbox in this mode; default: it is refused. */
  readonly queue?: Queue | undefined
  /** Model settings; they override the agent's. */
  readonly settings?: ModelSettings | undefined
  /** Restrictions of this run and what it starts, whichever process drives them, until the next run of the branch. */
  readonly restrictions?: readonly Rule[] | undefined
  /** Schema of its answer; overrides its agent's. */
  readonly outputSchema?: JsonSchema | undefined
  /** Resume this conversation instead of creating one. */
  readonly conversationId?: ConversationId
}

interface Queue {
  readonly mode: InboxRow['mode']
  /** Called in the change that adds the run. */
  readonly onQueued: (item: InboxRow) => void
}

export type MainRunPorts = AuthorityPorts & ContinuePorts

/**
 * A run of the main agent, in a new or stored conversation. A paused last run is continued with the text; after a
 * recovered run, the text waits until that run has ended. A text that may be queued waits as well.
 */
export async function mainRun(deps: MainRunPorts, options: StartOptions): Promise<StartPlan> {
  const { conversationId, workspace, prompt, author = 'person', systemText, maxTurns } = options
  const { settings, queue } = options
  const { restrictions = [], outputSchema } = options
  const agent = outputSchema ? { ...options.agent, outputSchema } : options.agent
  const named = {
    agent: options.isAgentNamed ? agent.name : undefined,
    model: options.isModelNamed ? options.model : undefined,
  }
  const known = conversationId ? openConversation(deps, conversationId, workspace) : undefined
  const opened = known ?? newConversation(deps, workspace, prompt, agent.name)
  const { conversation, branch } = opened
  const root = rootAuthority(deps, deps.store, branch.conversationId)
  const authority = narrow(deps, root, agent, { rules: restrictions })
  const own = await readDefinedFiles({ ...authority, name: agent.name, grants: [] }, workspace, [agent])
  if (!known) await systemText.prepare?.(null)
  const check: StartPlan['check'] = (live) => {
    const last = live.latest(branch.id)
    if (!last || isStopped(last.row.status) || live.drives(last)) return
    checkKept(last.row, { ...named, maxTurns, settings })
    requireNoSchema(outputSchema)
  }
  const write: StartPlan['write'] = (change, live, recovered) => {
    const last = live.latest(branch.id)
    if (last?.row.status === 'paused') {
      checkKept(last.row, named)
      requireNoSchema(outputSchema)
      storeRestrictions(change, deps.newId, branch, restrictions)
      const order = { text: prompt, author, maxTurns, settings }
      return { run: last, drive: continueRun(change, { deps, tree: live }, last, order) }
    }
    const isTakenUp = recovered.some(({ run }) => run === last)
    if (last && !isFinal(last.row.status) && (isTakenUp || queue)) {
      checkKept(last.row, { ...named, maxTurns, settings })
      requireNoSchema(outputSchema)
      storeRestrictions(change, deps.newId, branch, restrictions)
      const item = { kind: 'user', mode: queue?.mode ?? 'follow_up', text: prompt, author } as const
      const here = { conversationId: conversation.id, branchId: branch.id }
      const added = addToInbox(change, deps.newId, eventScope(last, change.at), { ...item, ...here })
      queue?.onQueued(added)
      return { run: last, drive: [] }
    }
    if (known) checkIdle(change.tx, branch)
    const { context = last?.row.setup?.context } = options
    const about = { branch, authority, contextFiles: own.contextFiles, context }
    const run = newRun(deps, live.budget, { ...options, agent }, about)
    if (!known) writeConversation(change, eventScope(run, change.at), opened)
    else if (!last) nameAfter(change, conversation.id, prompt)
    replaceRestrictions(change, deps.newId, branch, restrictions)
    if ((branch.outputSchema ?? undefined) !== outputSchema)
      change.tx.update('branches', branch.id, { outputSchema: outputSchema ?? null })
    if (!hasSystemText(change.tx, branch.id)) {
      const text = systemText({
        ...aboutRun(deps, run),
        files: own.files,
        receipts: live.receipts.list(),
      })
      writeSystemText(change, deps.newId, run, text)
    }
    writeFirstRun(change, deps, run, { text: prompt, author })
    return run
  }
  const spoken = known && { spoken: { author, branchId: branch.id, agent: agent.name } }
  return { conversationId: conversation.id, isNew: !known, continues: branch.id, ...spoken, check, write }
}

/** A resumed run keeps its schema. @throws OffshootError `conflict` */
function requireNoSchema(schema: JsonSchema | undefined): void {
  if (!schema) return
  throw new OffshootError('conflict', 'the output schema cannot change while the run is active', {
    hint: 'leave the schema out, or cancel the run first: offshoot cancel ID',
  })
}

/** Read in the transaction that adds the run: of two simultaneous requests, one is refused. */
function checkIdle(tx: Tx, { id, conversationId }: Branch): void {
  const last = tx.find('runs', { where: { branchId: id }, orderBy: 'id', descending: true, limit: 1 })[0]
  if (!last || isFinal(parseRun(last).status)) return
  const hint = `send it a message with offshoot steer ${id} "...", or wait until it has ended`
  throw new OffshootError('conflict', `the last run of ${conversationId} is ${last.status}`, { hint })
}

/** The branch of a new main run, its authority, and its first messages. */
interface MainBranch {
  readonly branch: Branch
  readonly authority: Authority
  readonly contextFiles: readonly string[]
  readonly context: Json | undefined
}

function newRun(
  deps: Pick<Deps, 'clock' | 'config' | 'newId'>,
  budget: Budget,
  { agent, model, maxTurns, settings }: StartOptions,
  { branch, authority, contextFiles, context }: MainBranch,
): LiveRun {
  const { limits } = deps.config
  const row: Run = {
    ...freshFigures,
    ...state.queued,
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
    limits: {
      maxTurns: maxTurns ?? ownTurns(deps, agent, 0),
      timeoutMs: agent.timeoutMs ?? limits.timeoutMs,
      stallMs: limits.stallMs,
      ...freshCaps(budget, { depth: 0, parentRunId: null, setup: null }, agent),
    },
    setup: {
      ...noSetup,
      effort: agent.effort ?? null,
      contextFiles,
      ...recoded('usage', () => keptSettings(deps, { agent, model, named: settings })),
      ...programSetup(authority.tools, context),
    },
    queuedAt: deps.clock.now(),
    startedAt: null,
  }
  return createLiveRun({ row, agent, ...authority, parent: undefined, call: undefined })
}

/** The first message of a branch: its agent and working rules at that time. */
function writeSystemText(change: Change, newId: NewId, run: LiveRun, text: string): void {
  const parts = [{ id: newId('prt'), type: 'text', text } as const]
  const here = { ...eventScope(run, change.at), runId: null }
  appendMessage(change, newId, here, { branchId: run.row.branchId, role: 'system', parts, runId: null })
}

function hasSystemText(tx: Tx, branchId: BranchId): boolean {
  return tx.find('messages', { where: { branchId, role: 'system' }, limit: 1 }).length > 0
}
