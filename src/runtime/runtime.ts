import type { ConversationId, RunId } from '../core/ids.ts'
import { killMarked } from '../exec/kill.ts'
import { Gates } from '../model/gate.ts'
import { Approvals } from './approvals.ts'
import { begin, type Conversations, type Place, type StartedRun } from './begin.ts'
import { createBus, type Subscriber } from './bus.ts'
import { continueBranch, type ContinueOptions, type Continued } from './continue-branch.ts'
import type { Deps } from './deps.ts'
import { forkOfPerson, type ForkStart } from './fork.ts'
import type { LiveRun } from './live-run.ts'
import { mainRun, type StartOptions } from './main-run.ts'
import { PersonWaits } from './person-waits.ts'
import { Questions } from './questions.ts'
import { spawnOfPerson, type PersonSpawn } from './person-spawn.ts'
import {
  abandoned,
  abandonedDirectories,
  leftByOthers,
  recover,
  type Recovery,
  type RecoverOptions,
} from './recover.ts'
import { createRecorder } from './recorder.ts'
import { reviveConversation } from './revive.ts'
import { Scheduler } from './scheduler.ts'
import { createTaskTexts } from './task-tool.ts'
import { bring } from './verbs/bring.ts'
import { Desk } from './verbs/desk.ts'
import type { VerbAnswers, VerbCommand } from './verbs/perform.ts'

/** What ends processes is given by tests alone, whose tools start none. */
export type RuntimeOptions = Omit<
  Deps,
  | 'bus'
  | 'recorder'
  | 'approvals'
  | 'questions'
  | 'scheduler'
  | 'gates'
  | 'taskTexts'
  | 'endProcesses'
  | 'endOwned'
> &
  Partial<Pick<Deps, 'endProcesses' | 'endOwned'>>

export interface Runtime {
  readonly approvals: Approvals
  readonly questions: Questions
  readonly resolveModel: Deps['resolveModel']
  start(options: StartOptions): Promise<StartedRun>
  /** Starts a subagent that no agent asked for, and drives it (runtime.md §2). */
  spawn(options: PersonSpawn & Place): Promise<StartedRun>
  /** Goes another way from a message: a branch of its own, with a run that begins with a text there. The verb `fork` makes one without. */
  fork(options: ForkStart & Place): Promise<StartedRun>
  /**
   * Has a verb carried out by whoever owns the conversation; by this process if nobody else does, which starts nothing.
   * @throws OffshootError: what the verb throws.
   */
  perform<V extends VerbCommand>(
    id: ConversationId,
    command: V,
    where: Place,
  ): Promise<VerbAnswers[V['verb']]>
  /** Goes on with what has stopped, from any process (runtime.md §5). @throws OffshootError `usage`, `conflict`. */
  continue(options: ContinueOptions): Promise<Continued>
  /** Takes up and drives what processes left that are gone, in this directory (runtime.md §12). */
  recover(options: RecoverOptions): Promise<Recovery>
  /** What `recover` would take. */
  readonly left: {
    /** Here. */
    runs(where: Place): readonly LiveRun[]
    /** Conversations of any directory whose runs have not stopped. */
    conversations(): readonly ConversationId[]
    /** Where there is something. */
    directories(): readonly string[]
  }
  subscribe(conversationId: ConversationId, subscriber: Subscriber): () => void
}

/** The runtime over its ports. It starts nothing by itself. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const bus = createBus(options.clock)
  const recorder = createRecorder(options.store, bus, options.clock, options.ownership)
  const scheduler = new Scheduler(options.config.limits)
  const waits = new PersonWaits({ ...options, recorder, scheduler })
  const approvals = new Approvals({ ...options, recorder, waits })
  const attended = (id: ConversationId) => approvals.attended(id)
  const asking = { approvals, questions: new Questions({ ...options, recorder, waits, attended }) }
  const gates = new Gates(options.clock, options.random)
  const made = { bus, recorder, scheduler, gates, taskTexts: createTaskTexts() }
  const deps: Deps = { endProcesses, endOwned, ...options, ...made, ...asking }
  const live: Conversations['live'] = new Map()
  const desk = new Desk(deps, (id) => live.get(id))
  const conversations = { live, desk }
  const at = ({ agents = deps.agents, tools = deps.tools }: Place): Deps => ({ ...deps, agents, tools })
  // what another process drives by now stops here without writing (R5)
  options.ownership?.onLost((id) => live.get(id)?.stop({ verb: 'pause', why: 'user' }))
  return {
    ...asking,
    resolveModel: deps.resolveModel,
    subscribe: bus.subscribe,
    perform: (id, command, where) =>
      bring(deps, id, command, () => live.get(id) ?? reviveConversation({ ...where, deps: at(where) }, id)),
    start: async (start) => begin(at(start), conversations, start, await mainRun(at(start), start)),
    spawn: async (spawn) => begin(at(spawn), conversations, spawn, await spawnOfPerson(at(spawn), spawn)),
    fork: async (fork) => begin(at(fork), conversations, fork, await forkOfPerson(at(fork), fork)),
    continue: (options) => continueBranch(at(options), conversations, options),
    recover: (options) => recover(at(options), conversations, options),
    left: {
      runs: (where) => leftByOthers(deps, where),
      conversations: () => abandoned(deps),
      directories: () => abandonedDirectories(deps),
    },
  }
}

function endProcesses(runId: RunId): Promise<readonly number[]> {
  return killMarked({ mark: 'OFFSHOOT_RUN_ID', value: runId })
}

function endOwned(owner: string): Promise<readonly number[]> {
  return killMarked({ mark: 'OFFSHOOT_OWNER', value: owner })
}
