import { OffshootError } from '../../core/errors.ts'
import type { Author } from '../../core/message.ts'
import type { BranchId, ConversationId, InboxItemId } from '../../core/ids.ts'
import { isStopped } from '../../core/run-status.ts'
import type { InboxRow } from '../../store/port.ts'
import { agentOf } from '../authority/authority.ts'
import { asStartResult, type StartPlan, type StartResult } from '../conversation/start-plan.ts'
import { continueRun, notStopped, wakesNobody, type ContinueScope } from '../delegation/continue-run.ts'
import { checkKept } from '../delegation/kept-settings.ts'
import { startOnFork, type ForkPorts } from '../conversation/fork-branch.ts'
import { addDelivered, addToInbox, waitingItems } from '../run/inbox.ts'
import { eventScope, type LiveRun } from '../run/live-run.ts'
import { mainRun, type MainRunPorts } from '../conversation/main-run.ts'
import type { RunSetting } from '../context/run-setting.ts'
import type { Change } from '../log/recorder.ts'
import type { AgentDefinition } from '../../core/agent.ts'
import type { StoredRun } from '../../core/run.ts'
import { modelOf, type ModelPorts } from '../delegation/spawn-child.ts'

/** What a person says on a branch, and by whom it is answered where nothing runs there. */
export interface MessageOrder {
  readonly text: string
  /** Default: a person. */
  readonly author?: Author | undefined
  /** Where a run has not stopped: whether it reads this at its next turn, or the branch does once it is idle. */
  readonly mode: InboxRow['mode']
  /** Of the main branch; default: that of its last run, else of the branch. */
  readonly agent?: string | undefined
  /** `provider/model`, of the main branch; default: that of its last run, or of an agent that has one of its own. */
  readonly model?: string | undefined
  readonly maxTurns?: number | undefined
  /** false, where a subagent has stopped: its report goes to nobody, so that its parent is not woken. */
  readonly wake?: boolean | undefined
}

export interface SendMessageOptions extends MessageOrder, RunSetting {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  /** Asked for a model where nothing has run and none is named. */
  readonly defaultModel?: () => Promise<string>
}

export type MessagePorts = MainRunPorts & ModelPorts

/** `item` is known once the beginning is written. */
export async function prepareMessage(
  deps: MessagePorts,
  options: SendMessageOptions,
): Promise<{ readonly plan: StartPlan; readonly item: () => InboxItemId }> {
  const { conversationId, branchId, text, mode, author = 'person' } = options
  const onMain = await prepareMainRun(deps, options)
  let itemId: InboxItemId | undefined
  const write: StartPlan['write'] = (change, live, recovered) => {
    const about = { conversationId, branchId, kind: 'user', mode, text, author } as const
    const last = live.latest(branchId)
    if (last && !isStopped(last.row.status)) {
      if (options.wake === false) throw notStopped(branchId, last.row.status)
      checkKept(last.row, options)
      itemId = addToInbox(change, deps.newId, eventScope(last, change.at), about).id
      return { run: last, drive: [] }
    }
    if (last?.row.status === 'paused') checkKept(last.row, options)
    const before = waitingIds(change, branchId)
    const started = asStartResult(
      onMain?.write(change, live, recovered) ?? continueBranch(change, { deps, tree: live }, last, options),
    )
    const waits = waitingItems(change.tx, branchId).find(({ id }) => !before.has(id)) // behind calls without a result
    itemId = waits?.id ?? addDelivered(change, deps.newId, eventScope(started.run, change.at), about).id
    return started
  }
  const spoken = { author, branchId, agent: options.agent }
  const plan = { conversationId, isNew: false, continues: branchId, spoken, write }
  return { plan, item: () => itemId! }
}

/** On the main branch each message may be answered by another agent and model, with turns of its own. */
async function prepareMainRun(
  deps: MessagePorts,
  options: SendMessageOptions,
): Promise<StartPlan | undefined> {
  const { maxTurns, ...rest } = options
  const { branchId, text, agent: named } = options
  const branch = deps.store.get('branches', branchId)!
  if (options.wake === false && branch.kind !== 'subagent') throw wakesNobody(branchId)
  if (branch.kind !== 'main') {
    if (named ?? options.model)
      throw new OffshootError('usage', 'a branch that is not the main one keeps its agent and its model', {
        hint: 'leave both out',
      })
    return undefined
  }
  const last = { orderBy: 'id', descending: true, limit: 1 } as const
  const before = deps.store.find('runs', { where: { branchId }, ...last })[0]
  const agent = agentOf(deps, named ?? before?.agent ?? branch.agent)
  const model = options.model ?? (await modelHere(deps, options, agent, before))
  if (!before) await options.systemText.prepare?.(null)
  const turns = maxTurns === undefined ? {} : { maxTurns }
  return await mainRun(deps, { ...rest, prompt: text, agent, model, ...turns })
}

/** That of the last run, but where another agent works now that has a model of its own. */
async function modelHere(
  deps: ModelPorts,
  { defaultModel }: SendMessageOptions,
  agent: AgentDefinition,
  before: Pick<StoredRun, 'agent' | 'model'> | undefined,
): Promise<string> {
  if (before?.agent === agent.name) return before.model
  const own = before?.model ?? (await defaultModel?.())
  if (own !== undefined) return modelOf(deps, agent, own)
  throw new OffshootError('usage', 'nothing here says which model it is to have')
}

function continueBranch(
  change: Change,
  scope: ContinueScope & { readonly deps: ForkPorts },
  last: LiveRun | undefined,
  { branchId, text, author, maxTurns, wake }: SendMessageOptions,
): LiveRun | StartResult {
  if (!last)
    return startOnFork(change, { deps: scope.deps, budget: scope.tree.budget }, branchId, {
      text,
      author,
      maxTurns,
    })
  const drive = continueRun(change, scope, last, { text, author, maxTurns, wake })
  return { run: drive[0]!, drive }
}

function waitingIds({ tx }: Change, branchId: BranchId): ReadonlySet<string> {
  return new Set(waitingItems(tx, branchId).map(({ id }) => id))
}
