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
// Commands load this with the first command line. A program with a test clock cannot wait for a file.
import '../permissions/shell/shell-items.ts'

export interface OffshootOptions {
  /** The directory that agents work on. Default: the process's current directory. */
  readonly directory?: string | undefined
  /**
   * `provider/model`, `offline`, `scripted:FILE`, or any AI SDK model. Default: the configured model, else the first
   * provider with a key in `env`, else a local Ollama. Without any of these, `createOffshoot` fails with `key`.
   */
  readonly model?: string | OwnModel | undefined
  /**
   * Path of a SQLite file, `:memory:`, or a store that the program opens and closes itself. Default: the user's file,
   * which the command line shares.
   */
  readonly store?: string | Store | undefined
  /** Agents besides the built-in ones and those in files; they take precedence over agents of the same name. */
  readonly agents?: readonly OwnAgent[] | undefined
  /**
   * What agents in code read besides their `prompt`, unless they set `basePrompt`. `bare`: nothing. `workspace`: what
   * built-in agents read, such as working rules, the directory listing and AGENTS.md. Default: `bare`.
   */
  readonly prompt?: BasePrompt | undefined
  /** Tools besides the built-in ones. */
  readonly tools?: readonly OwnTool[] | undefined
  /**
   * What is allowed without asking: `plan`, `ask`, `accept-edits`, `auto`. Default: `ask`, or `plan` if the
   * conversation had it.
   */
  readonly mode?: Mode | undefined
  /**
   * What happens to a call that needs an approval while no `events({ answers: true })` stream is open. `deny` denies it
   * at once. `wait` lets it, and every question, wait for `approvals.answer` and `questions.answer` here or in another
   * process, up to `limits.approvalMs`. Default: `deny`.
   */
  readonly approvals?: 'deny' | 'wait' | undefined
  /** Overrides configuration files and environment; rules form a layer of their own. */
  readonly config?: ConfigInput | undefined
  /**
   * Whether this Offshoot grants what the files of the directory ask for: `project` grants everything, a function
   * decides. Default: only what the user granted with `offshoot trust`.
   */
  readonly trust?: 'project' | TrustDecision | undefined
  /** Source of keys, base URLs and user directories. Default: the environment of the process. */
  readonly env?: Env | undefined
  /** For tests: a clock that the test moves. */
  readonly clock?: Clock | undefined
}

/** A request of a file, as one line for people; the words are those of the file. */
export interface TrustRequest {
  /** Path relative to the root of the directory. */
  readonly file: string
  readonly kind: 'rule' | 'model' | 'limit' | 'price' | 'agent' | 'setting'
  readonly key: string
  readonly text: string
  /** Whether the user or this program has granted it. */
  readonly granted: boolean
}

export interface TrustAsked {
  readonly directory: string
  readonly requests: readonly TrustRequest[]
}

/** Returning true grants everything shown until the Offshoot is closed; nothing is recorded. */
export type TrustDecision = (asked: TrustAsked) => boolean | Promise<boolean>

/** A runtime inside a program. Ids name a conversation, a branch or a run, as on the command line. */
export interface Offshoot extends AsyncDisposable {
  /** The real path of the directory. */
  readonly directory: string
  /** Default model of main agents, `provider/model`. */
  readonly model: string
  /** Warnings about configuration and agent files, and about store content lost since the last use, one line each. */
  readonly warnings: readonly string[]
  /** What the files of the directory ask for, and which of it is granted. */
  readonly trust: TrustAsked
  readonly conversations: ConversationsApi
  readonly branches: BranchesApi
  readonly runs: RunsApi
  readonly approvals: ApprovalsApi
  readonly questions: QuestionsApi
  readonly inbox: InboxApi
  /** Creates a conversation, or opens a stored one with `conversationId`. @throws OffshootError `usage` */
  chat<O = unknown>(options?: ChatOptions<O>): Promise<Chat<O>>
  /**
   * Sends a message that the run reads at its next turn. @throws OffshootError `not_found`; `conflict` if it has
   * stopped.
   */
  steer(id: string, text: string): Promise<VerbAnswers['steer']>
  /** Interrupts a run; it can be continued. */
  interrupt(id: string): Promise<VerbAnswers['interrupt']>
  /** Pauses a run, or every run of a conversation, at the next boundary. */
  pause(id: string): Promise<VerbAnswers['pause']>
  /** Cancels a run, the latest run of a branch, or every run of a conversation, with everything below. */
  cancel(id: string): Promise<CancelAnswer>
  /** Resumes a paused, failed or finished run; returns the run that does the work. */
  continue(id: string, text?: string, options?: ContinueOptions): Promise<OffshootRun>
  /** Forks a branch at a message and returns the run there. */
  fork(messageId: string, text: string, options?: Omit<ForkOptions, 'messageId'>): Promise<OffshootRun>
  /** Moves a subagent to the background: its parent stops waiting and gets the report later. */
  background(id: string): Promise<VerbAnswers['background']>
  /** Resumes the runs that exited processes left in this directory; returns them. */
  recover(options?: RecoverySettings): Promise<readonly OffshootRun[]>
  /**
   * Pauses what this process drives (like Ctrl-C on the command line), ends the processes that tools started, releases
   * the conversations and closes the store. Approvals and questions stay open for the program that recovers the run.
   * Later calls fail with `closed`, except for data already loaded. `await using` calls it.
   */
  close(): Promise<void>
}

/** `not_found`: this id does not exist. */
export type CancelAnswer =
  | VerbAnswers['cancel']
  | { readonly outcome: 'not_found'; readonly status: null; readonly runs: 0; readonly left: readonly [] }

export interface RecoverySettings {
  /** `pause`: acquires the runs but leaves them paused. Default: as configured. */
  readonly policy?: RecoveryPolicy | undefined
}

/**
 * Opens a runtime on a directory. It starts nothing, installs no handlers, and keeps the process alive only while
 * something runs. @throws OffshootError `usage` for invalid options, `config`, `key`, or a `store_...` code.
 */
export async function createOffshoot(options: OffshootOptions = {}): Promise<Offshoot> {
  try {
    return await openOffshoot(options)
  } catch (error) {
    throw asCallError(error)
  }
}

/** Additional options for tests. */
export interface TestOpening extends Pick<TestPorts, 'chance' | 'processes'> {
  /** A store that no other code uses. */
  readonly alone?: Store
}

/** `createOffshoot` with test options. */
export async function openOffshoot(given: OffshootOptions, test: TestOpening = {}): Promise<Offshoot> {
  const options = checkOptions(optionsSchema, given, 'createOffshoot')
  const models = new OwnModels()
  const { composed, own } = await composeOwn(options, models, test)
  try {
    checkAgents(own, composed.tools, composed.agents, 'createOffshoot')
    const model = await languageModel(composed, models, options.model)
    // no caller leaves: the runtime ends with the session
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

/** `process.env` has its own prototype, which zod's record rejects. A list or a Map is not an environment. */
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
