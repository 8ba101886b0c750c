import { z } from 'zod'
import { basePrompts, type BasePrompt } from '../core/agent.ts'
import type { Clock } from '../core/clock.ts'
import { systemClock } from '../exec/system-clock.ts'
import { OwnModels, type OwnModel } from '../model/custom-models.ts'
import { MODES, type Mode } from '../permissions/modes.ts'
import { createMemoryStore } from '../store/memory.ts'
import type { Store } from '../store/port.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import type { Env } from '../config/homes.ts'
import { shownRequest, type TrustState } from '../project/project.ts'
import type { ConfigInput } from '../config/config-schema.ts'
import type { RecoveryPolicy } from '../runtime/recovery/recover-conversation.ts'
import type { VerbAnswers } from '../runtime/control/verbs.ts'
import { compose, type TestPorts } from '../runtime/host/compose.ts'
import { checkAgents, runtimeAgent, type OwnAgent } from './agent.ts'
import { openApprovals, type ApprovalsApi } from './approvals.ts'
import { openChat, type Chat, type ChatOptions } from './chat.ts'
import {
  openBranches,
  openConversations,
  openRuns,
  type BranchesApi,
  type ConversationsApi,
  type RunsApi,
} from './conversations-branches-runs.ts'
import { languageModel, LibrarySession, release } from './library-session.ts'
import { asCallError } from './call-hint.ts'
import { checkOptions } from './check-options.ts'
import { openInbox, type InboxApi } from './inbox.ts'
import { openQuestions, type QuestionsApi } from './questions.ts'
import { ownStore } from './custom-store.ts'
import type { ContinueOptions, ForkOptions } from './run-options.ts'
import { steerVerb, type OffshootRun } from './run.ts'
import { withTools, type OwnTool } from './tool.ts'
// A command loads it with the first command line. A program that moves its own clock in tests cannot wait for a file.
import '../permissions/shell/shell-items.ts'

export interface OffshootOptions {
  /** What the agents work on. Default: the directory of the process. */
  readonly directory?: string | undefined
  /**
   * `provider/model`, `offline`, `scripted:FILE`, or any model of the AI SDK. Default: as configured, else the first
   * provider with a key in `env`, else a local Ollama. Without any of these, `createOffshoot` fails with `key`.
   */
  readonly model?: string | OwnModel | undefined
  /**
   * The path of a SQLite file, `:memory:`, or a store that the program has opened and closes itself. Default: the user's
   * file, which the command line works on too.
   */
  readonly store?: string | Store | undefined
  /** Agents beside those that come with the program and those in files; one of the same name comes first. */
  readonly agents?: readonly OwnAgent[] | undefined
  /**
   * What own agents read beside their `prompt`, unless they say it themselves (`basePrompt`). `bare`: nothing. `workspace`:
   * what the built-in agents read, such as rules of work, the files of the directory and its AGENTS.md. Default: `bare`.
   */
  readonly prompt?: BasePrompt | undefined
  /** Tools beside those that come with the program. */
  readonly tools?: readonly OwnTool[] | undefined
  /** What is allowed without asking: `plan`, `ask`, `accept-edits`, `auto`. Default: `ask`, or `plan` where a conversation had that. */
  readonly mode?: Mode | undefined
  /**
   * What a call that needs an approval does where no `events({ answers: true })` is open: `deny` denies it at once, `wait`
   * lets it and every question of an agent wait for `approvals.answer` and `questions.answer`, here or in another process, up
   * to `limits.approvalMs`. Default: `deny`.
   */
  readonly approvals?: 'deny' | 'wait' | undefined
  /** Stands above configuration files and environment; rules are a layer of their own. */
  readonly config?: ConfigInput | undefined
  /**
   * Whether what the files of the directory ask for is granted to this Offshoot: `project`, or a function that is shown it
   * and decides. Default: what the user has granted with `offshoot trust`, and nothing else.
   */
  readonly trust?: 'project' | TrustDecision | undefined
  /** Where keys, base URLs and the directories of the user are read. Default: that of the process. */
  readonly env?: Env | undefined
  /** For tests: time that a test moves. */
  readonly clock?: Clock | undefined
}

/** What files ask for: a line for people, whose words are those of the file. */
export interface TrustRequest {
  /** From the root of the directory. */
  readonly file: string
  readonly kind: 'rule' | 'model' | 'limit' | 'price' | 'agent' | 'setting'
  readonly key: string
  readonly text: string
  /** Whether the user has granted it, or this program. */
  readonly granted: boolean
}

export interface TrustAsked {
  readonly directory: string
  readonly requests: readonly TrustRequest[]
}

/** True grants all that it is shown, until the Offshoot is closed; nothing is recorded. */
export type TrustDecision = (asked: TrustAsked) => boolean | Promise<boolean>

/** A runtime in a program of somebody's own. Ids are those of a conversation, a branch or a run, as on the command line. */
export interface Offshoot extends AsyncDisposable {
  /** The real path of the directory. */
  readonly directory: string
  /** Of main agents, unless a chat says otherwise: `provider/model`. */
  readonly model: string
  /** What is to be said about configuration and agent files, and what is gone of the store since it was used last, one line each. */
  readonly warnings: readonly string[]
  /** What the files of the directory ask for, and what of it is granted. */
  readonly trust: TrustAsked
  readonly conversations: ConversationsApi
  readonly branches: BranchesApi
  readonly runs: RunsApi
  readonly approvals: ApprovalsApi
  readonly questions: QuestionsApi
  readonly inbox: InboxApi
  /** A conversation: a new one, or with `conversationId` a stored one. @throws OffshootError `usage` */
  chat<O = unknown>(options?: ChatOptions<O>): Promise<Chat<O>>
  /** A message that the run reads at its next turn. @throws OffshootError `not_found`, `conflict` when it has stopped. */
  steer(id: string, text: string): Promise<VerbAnswers['steer']>
  /** Stops what a run does now; it can be continued. */
  interrupt(id: string): Promise<VerbAnswers['interrupt']>
  /** Pauses a run, or all of a conversation, at the next boundary. */
  pause(id: string): Promise<VerbAnswers['pause']>
  /** Ends a run, the latest run of a branch, or all of a conversation, with everything below. */
  cancel(id: string): Promise<CancelAnswer>
  /** Goes on with what has stopped; the run that does so. */
  continue(id: string, text?: string, options?: ContinueOptions): Promise<OffshootRun>
  /** Another way from a message: the run there. */
  fork(messageId: string, text: string, options?: Omit<ForkOptions, 'messageId'>): Promise<OffshootRun>
  /** Lets whoever waits for a subagent go on; its report comes later. */
  background(id: string): Promise<VerbAnswers['background']>
  /** Takes up what ended processes left in this directory, and drives it; the runs that it took. */
  recover(options?: RecoverySettings): Promise<readonly OffshootRun[]>
  /**
   * Pauses what this process drives, ends the processes that tools have started, gives the conversations back and closes
   * the store. What waits for a person keeps waiting, for a program that recovers it. Afterwards everything but what is
   * known already is refused with `closed`. `await using` calls it.
   */
  close(): Promise<void>
}

/** `not_found`: there is nothing with this id. */
export type CancelAnswer =
  | VerbAnswers['cancel']
  | { readonly outcome: 'not_found'; readonly status: null; readonly runs: 0; readonly left: readonly [] }

export interface RecoverySettings {
  /** `pause`: only takes it over, to be continued by name. Default: as configured. */
  readonly policy?: RecoveryPolicy | undefined
}

/**
 * A runtime on a directory. It starts nothing, installs no handlers, and holds a process only while something runs.
 * @throws OffshootError: `usage` for options that do not do, `config`, `key`, or a `store_...` code.
 */
export async function createOffshoot(options: OffshootOptions = {}): Promise<Offshoot> {
  try {
    return await openOffshoot(options)
  } catch (error) {
    throw asCallError(error)
  }
}

/** What tests open it with. */
export interface TestOpening extends Pick<TestPorts, 'chance' | 'processes'> {
  /** A store that nobody else knows. */
  readonly alone?: Store
}

/** As `createOffshoot`, with what tests give beside. */
export async function openOffshoot(given: OffshootOptions, test: TestOpening = {}): Promise<Offshoot> {
  const options = checkOptions(optionsSchema, given, 'createOffshoot')
  const models = new OwnModels()
  const { composed, own } = await composeOwn(options, models, test)
  try {
    checkAgents(own, composed.tools, composed.agents, 'createOffshoot')
    const model = await languageModel(composed, models, options.model)
    // nobody leaves: the runtime ends with the session
    if (options.approvals === 'wait') composed.runtime.approvals.attend()
    return offshootOf(new LibrarySession(composed, { models, basePrompt: options.prompt }, model))
  } catch (error) {
    await release(composed)
    throw error
  }
}

const optionsSchema = z.strictObject({
  directory: z.string().min(1).default('.'),
  model: z.unknown().optional(),
  store: z
    .union([z.string().min(1), z.custom<Store>(isStore)], 'expected a path, :memory: or a store')
    .optional(),
  agents: z.array(z.unknown()).default([]),
  prompt: z.enum(basePrompts).default('bare'),
  tools: z.array(z.unknown()).default([]),
  mode: z.enum(MODES).optional(),
  approvals: z.enum(['deny', 'wait']).default('deny'),
  config: z.record(z.string(), z.unknown()).optional(),
  trust: z
    .union([z.literal('project'), z.custom<TrustDecision>((value) => typeof value === 'function')], {
      error: 'expected project or a function',
    })
    .optional(),
  env: z.preprocess(plain, z.record(z.string(), z.string().optional())).optional(),
  clock: z.custom<Clock>(isClock, 'expected {now, after}').default(systemClock),
})

type Checked = z.output<typeof optionsSchema>

/** `process.env` has a prototype of its own, which a record of zod has not. A list or a Map is no environment. */
function plain(env: unknown): unknown {
  const isOther = typeof env !== 'object' || env === null || Symbol.iterator in env
  return isOther ? env : { ...env }
}

async function composeOwn(
  { directory, mode, clock, config, store, env, trust, prompt: basePrompt, ...parts }: Checked,
  models: OwnModels,
  { alone, ...ports }: TestOpening,
) {
  const agents = parts.agents.map((each, i) =>
    runtimeAgent(each, { models, basePrompt }, `createOffshoot: agents.${i}`),
  )
  const own = alone ? ownStore(alone, false) : store === ':memory:' ? createMemoryStore() : undefined
  const openStore = own ? async () => own : storeOf(store, clock)
  const composed = await compose({
    ...ports,
    directory,
    mode,
    env: env ?? process.env,
    own: {
      config,
      clock,
      models,
      agents,
      tools: (builtin) => withTools({ tools: builtin, clock }, parts.tools, 'createOffshoot'),
      isAlone: own !== undefined,
      ...(trust && { trusts: async (state) => trust === 'project' || (await trust(asked(state))) === true }),
      ...(openStore ? { openStore } : {}),
    },
  })
  return { composed, own: agents }
}

function asked({ directory, requests }: TrustState): TrustAsked {
  return { directory, requests: requests.map(shownRequest) }
}

function storeOf(
  store: Checked['store'],
  clock: Clock,
): ((warn: (text: string) => void) => Promise<Store>) | undefined {
  if (store === undefined) return undefined
  if (typeof store === 'string') return (warn) => openSqliteStore({ file: store, now: clock.now, warn })
  return async () => ownStore(store, true)
}

function offshootOf(session: LibrarySession): Offshoot {
  const { workspace, warnings, trust } = session.composed
  const close = () => session.close()
  return {
    directory: workspace.root,
    model: session.model,
    warnings,
    trust: asked(trust),
    conversations: openConversations(session),
    branches: openBranches(session),
    runs: openRuns(session),
    approvals: openApprovals(session),
    questions: openQuestions(session),
    inbox: openInbox(session),
    chat: <O>(options?: ChatOptions<O>) => session.call(() => openChat<O>(session, options)),
    steer: async (id, text) => await session.perform(steerVerb(id, text)),
    interrupt: (target) => session.perform({ verb: 'interrupt', target, args: null }),
    pause: (target) => session.perform({ verb: 'pause', target, args: null }),
    background: (target) => session.perform({ verb: 'background', target, args: null }),
    cancel: (id) => cancel(session, id),
    continue: (id, text, options) => session.continue(id, text, options),
    fork: (messageId, text, options) => session.fork(messageId, text, options),
    recover: (settings) => recover(session, settings),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function cancel(session: LibrarySession, target: string): Promise<CancelAnswer> {
  session.checkOpen()
  if (!session.knows(target)) return { outcome: 'not_found', status: null, runs: 0, left: [] }
  return await session.perform({ verb: 'cancel', target, args: null })
}

const recoverSchema = z.strictObject({ policy: z.enum(['continue', 'pause']).optional() })

async function recover(session: LibrarySession, settings: unknown = {}): Promise<readonly OffshootRun[]> {
  const { policy } = checkOptions(recoverSchema, settings, 'recover')
  return await session.recover(policy ? { policy } : {})
}

const STORE_METHODS = ['get', 'find', 'count', 'tx', 'dataVersion', 'close']

function isStore(value: unknown): boolean {
  return hasMethods(value, STORE_METHODS)
}

function isClock(value: unknown): boolean {
  return hasMethods(value, ['now', 'after'])
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function')
}
