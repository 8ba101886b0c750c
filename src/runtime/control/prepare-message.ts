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

/** A message of a person for a branch, and settings of the run that it may start. */
export interface MessageOrder {
  readonly text: string
  /** Default: a person. */
  readonly author?: Author | undefined
  /** For an active run: whether it reads this at its next turn, or the branch does once it is idle. */
  readonly mode: InboxRow['mode']
  /** For the main branch; default: that of its last run, else of the branch. */
  readonly agent?: string | undefined
  /** `provider/model`, for the main branch; default: that of its last run, or of an agent with its own. */
  readonly model?: string | undefined
  readonly maxTurns?: number | undefined
  /** For a stopped subagent, false discards its report, so that its parent is not woken. */
  readonly wake?: boolean | undefined
}

export interface SendMessageOptions extends MessageOrder, RunSetting {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  /** Called if no model is named and nothing has run. */
  readonly defaultModel?: () => Promise<string>
}

export type MessagePorts = MainRunPorts & ModelPorts

/** `item` is set once the start is written. */
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
    const waits = waitingItems(change.tx, branchId).find(({ id }) => !before.has(id)) // after calls without a result
    itemId = waits?.id ?? addDelivered(change, deps.newId, eventScope(started.run, change.at), about).id
    return started
  }
  const spoken = { author, branchId, agent: options.agent }
  const plan = { conversationId, isNew: false, continues: branchId, spoken, write }
  return { plan, item: () => itemId! }
}

/** On the main branch, each message may name another agent and model, with its own turns. */
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
      throw new OffshootError('usage', 'only the main branch can change its agent or model', {
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

/** The last run's model, unless the agent changed to one with its own model. */
async function modelHere(
  deps: ModelPorts,
  { defaultModel }: SendMessageOptions,
  agent: AgentDefinition,
  before: Pick<StoredRun, 'agent' | 'model'> | undefined,
): Promise<string> {
  if (before?.agent === agent.name) return before.model
  const own = before?.model ?? (await defaultModel?.())
  if (own !== undefined) return modelOf(deps, agent, own)
  throw new OffshootError('usage', 'no model is configured for this message')
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
