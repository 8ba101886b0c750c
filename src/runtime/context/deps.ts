import type { TellUnknown } from '../run/recovered-run.ts'
import type { Clock } from '../../core/clock.ts'
import type { Author } from '../../core/message.ts'
import type { NewId, RunId } from '../../core/ids.ts'
import type { SecretMask } from '../../core/secrets/mask.ts'
import type { AgentRegistry } from '../../agents/registry.ts'
import type { Guard } from '../../exec/start-guard.ts'
import type { Gates } from '../../model/gate.ts'
import type { ResolveModel } from '../../model/port.ts'
import type { Mode } from '../../permissions/modes.ts'
import type { Layer } from '../../permissions/types.ts'
import type { Store } from '../../store/port.ts'
import type { Registry } from '../../tools/registry.ts'
import type { SandboxSetting } from '../../config/sandbox-setting.ts'
import type { Confinements } from './confinements.ts'
import type { Approvals } from '../asking/approvals.ts'
import type { Bus } from '../log/bus.ts'
import type { Config } from '../../config/config-schema.ts'
import type { Questions } from '../asking/questions.ts'
import type { Ownership } from '../ownership/leases.ts'
import type { Recorder } from '../log/recorder.ts'
import type { Scheduler } from '../run/scheduler.ts'
import type { StartQueue } from '../run/start-queue.ts'
import type { TaskTexts } from '../task/task-texts.ts'

/**
 * Everything a runtime works with; created once by `createRuntime`. Functions name the ports that they use, as
 * `Pick<Deps, ...>`; only code that composes a runtime or drives runs takes all of them.
 */
export interface Deps {
  readonly store: Store
  readonly bus: Bus
  readonly recorder: Recorder
  readonly approvals: Approvals
  readonly questions: Questions
  readonly scheduler: Scheduler
  readonly starts: StartQueue
  readonly gates: Gates
  readonly taskTexts: TaskTexts
  readonly clock: Clock
  readonly newId: NewId
  readonly random: () => number
  readonly tools: Registry
  readonly agents: AgentRegistry
  readonly resolveModel: ResolveModel
  /** The cheaper model of a model's provider; the same id if there is none. */
  readonly smallModelOf: (modelId: string) => string
  readonly config: Config
  /** The layers of the root level, including the mode. */
  readonly rootLayers: readonly Layer[]
  /** The layers that bind every run of the directory, whoever starts it: those from files. Default: all layers. */
  readonly sharedLayers?: readonly Layer[] | undefined
  /** The mode set for this process: it applies to every conversation driven here. */
  readonly namedMode?: Mode | undefined
  /** The sandbox setting named for this process: it applies to every conversation driven here. */
  readonly namedSandbox?: SandboxSetting | undefined
  /** Kills what runs started and left running; resolves with the pids that could not be stopped. */
  readonly endProcesses: (runIds: readonly RunId[]) => Promise<readonly number[]>
  /** The same for an exited process, found by the OFFSHOOT_OWNER of its children. */
  readonly endOwned: (owner: string) => Promise<readonly number[]>
  /** Default author of input through this process; default: a person. */
  readonly speaker?: Author | undefined
  /** Identifies this process in the environment of its children. */
  readonly owner: string
  /** Masks secrets in all output, and keys in tool results. */
  readonly secrets: SecretMask
  /** The leases of this process. Absent for a private store. */
  readonly ownership?: Ownership
  /** Default: observers read it in the events. */
  readonly tellUnknown?: TellUnknown | undefined
  /** Guard of child processes. Absent if no tool starts any. */
  readonly guard?: Guard
  /** What confines the commands of runs. Absent: nothing can confine them. */
  readonly confinements?: Confinements | undefined
}
