import type { AgentDefinition } from '../../core/agent.ts'
import { shapeMask } from '../../core/secrets/mask.ts'
import type { ConversationId, RunId } from '../../core/ids.ts'
import { killMarked } from '../../exec/kill.ts'
import { agentSheet, type AgentSheet } from '../delegation/effective-agent.ts'
import { Approvals } from '../asking/approvals.ts'
import type { RunSetting } from '../context/run-setting.ts'
import { startDriving, visit, type Conversations, type StartedRun } from '../control/acquire-and-drive.ts'
import { createBus, type Subscriber } from '../log/bus.ts'
import { createConversation, type CreateOptions } from '../conversation/create-conversation.ts'
import { continueBranch, type ContinueOptions, type Continued } from '../control/continue-branch.ts'
import type { Confinements } from '../context/confinements.ts'
import type { Deps } from '../context/deps.ts'
import { forkOfPerson, type ForkStart } from '../conversation/fork-branch.ts'
import { startOrDispatch, type StartedOrDispatched } from '../control/start-or-dispatch.ts'
import type { Opened } from '../conversation/open-conversation.ts'
import { mainRun, type StartOptions } from '../conversation/main-run.ts'
import { PersonWaits } from '../asking/person-waits.ts'
import { Questions } from '../asking/questions.ts'
import { spawnOfPerson, type PersonSpawn } from '../conversation/person-spawn.ts'
import {
  abandoned,
  abandonedDirectories,
  recover,
  type Recovery,
  type RecoverOptions,
} from '../control/recover.ts'
import type { PartialMessage } from '../run/partial-message.ts'
import { createRecorder } from '../log/recorder.ts'
import { reviveConversation } from '../recovery/revive.ts'
import { sendMessage, type SentMessage } from '../control/send-message.ts'
import type { SendMessageOptions } from '../control/prepare-message.ts'
import { Scheduler } from '../run/scheduler.ts'
import { tellLine } from '../run/tell-line.ts'
import { StartQueue } from '../run/start-queue.ts'
import { modelOf } from '../delegation/spawn-child.ts'
import { createShared, type Shared } from './slots-and-gates.ts'
import { createTaskTexts } from '../task/task-texts.ts'
import { dispatch } from '../control/dispatch-to-owner.ts'
import { CommandInbox } from '../control/command-inbox.ts'
import { spokenBy } from '../control/speaker.ts'
import type { VerbAnswers, VerbCommand } from '../control/verbs.ts'

/** Only tests replace this, because their tools start no processes. */
export type RuntimeOptions = Omit<
  Deps,
  | 'bus'
  | 'recorder'
  | 'approvals'
  | 'questions'
  | 'scheduler'
  | 'starts'
  | 'gates'
  | 'taskTexts'
  | 'endProcesses'
  | 'endOwned'
  | 'secrets'
> &
  Partial<Pick<Deps, 'endProcesses' | 'endOwned' | 'secrets'>> & {
    /** Shared with the other runtimes of this process; default: unshared. */
    readonly shared?: Shared | undefined
  }

export interface Runtime {
  readonly approvals: Approvals
  readonly questions: Questions
  readonly resolveModel: Deps['resolveModel']
  /** The model of an agent; `own` is the starter's model. */
  modelOf(agent: AgentDefinition, own: string): string
  start(options: StartOptions): Promise<StartedRun>
  /** Creates an empty conversation. */
  create(options: CreateOptions): Promise<Opened>
  /**
   * Sends a message to a branch in any state: it is delivered at once, or waits in the inbox. @throws OffshootError
   * `usage`, `conflict`.
   */
  sendMessage(options: SendMessageOptions): Promise<SentMessage>
  /** Starts a subagent without a call of an agent, and drives it. */
  spawn(options: PersonSpawn & RunSetting): Promise<StartedRun>
  /** Forks at a message and starts a run there with a text. The verb `fork` can do it without one. */
  fork(options: ForkStart & RunSetting): Promise<StartedRun>
  /**
   * Performs a verb in the process that owns the conversation. Without an owner this process performs it and starts no run.
   * @throws OffshootError: what the verb throws.
   */
  perform<V extends VerbCommand>(
    id: ConversationId,
    command: V,
    where: RunSetting,
  ): Promise<VerbAnswers[V['verb']]>
  /**
   * Starts something `here` (`spawn` or `fork`), unless another live process drives the conversation: then that process
   * executes it, and `there` is its answer.
   */
  startOrDispatch<T, V extends VerbCommand>(
    id: ConversationId,
    command: V,
    here: () => Promise<T>,
  ): Promise<StartedOrDispatched<T, V>>
  /** Resumes a stopped run, from any process. @throws OffshootError `usage`, `conflict`. */
  continue(options: ContinueOptions): Promise<Continued>
  /** Resumes and drives the runs of processes that have exited, in this directory. */
  recover(options: RecoverOptions): Promise<Recovery>
  /** What `recover` would resume. */
  readonly left: {
    /** Conversations of any directory with active runs. */
    conversations(): readonly ConversationId[]
    /** If there are any. */
    directories(): readonly string[]
  }
  subscribe(conversationId: ConversationId, subscriber: Subscriber): () => void
  /** Current streaming answers: what a new subscriber has missed of them. */
  partials(conversationId: ConversationId): readonly PartialMessage[]
  /** The effective rights of an agent here. */
  sheet(agent: AgentDefinition): AgentSheet
}

/** The runtime over its ports. Starts nothing by itself. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const bus = createBus(options.clock)
  const recorder = createRecorder({ ...options, bus, leases: options.ownership })
  const { slots, gates } = options.shared ?? createShared(options.clock, options.random)
  const scheduler: Scheduler = new Scheduler(options.config.limits, slots, (first) =>
    tellLine(recorder, scheduler, first),
  )
  const waits = new PersonWaits({ ...options, recorder, scheduler })
  const approvals = new Approvals({ ...options, recorder, waits })
  const attended = (id: ConversationId) => approvals.attended(id)
  const asking = { approvals, questions: new Questions({ ...options, recorder, waits, attended }) }
  const made = { bus, recorder, scheduler, starts: new StartQueue(), gates, taskTexts: createTaskTexts() }
  const deps: Deps = {
    endProcesses: (runIds) => endProcesses(runIds, options.confinements),
    endOwned,
    secrets: shapeMask,
    ...options,
    ...made,
    ...asking,
  }
  const { speaker = 'person' } = deps
  const live: Conversations['live'] = new Map()
  const commandInbox = new CommandInbox(deps, (id) => live.get(id))
  const at = ({ agents = deps.agents, tools = deps.tools }: RunSetting): Deps => ({ ...deps, agents, tools })
  const revive: Conversations['revive'] = (id, where) => {
    const { workspace, systemText } = where
    return reviveConversation({ workspace, systemText, deps: at(where) }, id)
  }
  const conversations: Conversations = { live, commandInbox, revive, visits: new Map() }
  // a run that another process drives by now stops here without writing
  options.ownership?.onLost((id) => live.get(id)?.stop({ verb: 'pause', why: 'restart' }))
  return {
    ...asking,
    resolveModel: deps.resolveModel,
    modelOf: (agent, own) => modelOf(deps, agent, own),
    subscribe: bus.subscribe,
    partials: (id) => live.get(id)?.partials ?? [],
    sheet: (agent) => agentSheet(deps, agent),
    perform: (id, command, where) =>
      dispatch(deps, id, spokenBy(command, speaker), (order) => visit(conversations, id, where, order)),
    start: async (start) =>
      startDriving(at(start), conversations, start, await mainRun(at(start), { author: speaker, ...start })),
    create: (create) => createConversation(deps, create),
    sendMessage: (order) => sendMessage(at(order), conversations, { author: speaker, ...order }),
    spawn: async (spawn) =>
      startDriving(
        at(spawn),
        conversations,
        spawn,
        await spawnOfPerson(at(spawn), { author: speaker, ...spawn }),
      ),
    fork: async (fork) =>
      startDriving(at(fork), conversations, fork, await forkOfPerson(at(fork), { author: speaker, ...fork })),
    startOrDispatch: (id, command, here) => startOrDispatch(deps, id, spokenBy(command, speaker), here),
    continue: (options) => continueBranch(at(options), conversations, { author: speaker, ...options }),
    recover: (options) => recover(at(options), conversations, options),
    left: {
      conversations: () => abandoned(deps),
      directories: () => abandonedDirectories(deps),
    },
  }
}

/** What is in a cell has the grace of its cell. */
async function endProcesses(
  runIds: readonly RunId[],
  confinements: Confinements | undefined,
): Promise<readonly number[]> {
  await confinements?.end(runIds)
  return await killMarked({ mark: 'OFFSHOOT_RUN_ID', values: runIds })
}

function endOwned(owner: string): Promise<readonly number[]> {
  return killMarked({ mark: 'OFFSHOOT_OWNER', values: [owner] })
}
