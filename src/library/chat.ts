import { z } from 'zod'
import { configuredAgent } from '../config/agent-settings.ts'
import { createAgentRegistry } from '../agents/registry.ts'
import type { AgentDefinition } from '../core/agent.ts'
import { OffshootError } from '../core/errors.ts'
import { isId, type ConversationId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { bounds } from '../core/limits.ts'
import { delivers, type Deliver } from '../core/message.ts'
import { modelSettingsSchema, type ModelSettings } from '../core/model-settings.ts'
import { bestEffort } from '../core/rejections.ts'
import type { OwnModel } from '../model/custom-models.ts'
import { smallModel } from '../model/models-and-prices.ts'
import type { Registry } from '../tools/registry.ts'
import type { RunSetting } from '../runtime/context/run-setting.ts'
import type { StartedRun } from '../runtime/control/acquire-and-drive.ts'
import type { StartOptions } from '../runtime/conversation/main-run.ts'
import type { FirstEvents } from '../runtime/log/first-events.ts'
import type { InboxRow } from '../store/port.ts'
import { openConversation } from '../runtime/conversation/open-conversation.ts'
import { checkAgents, runtimeAgent, type OwnAgent } from './agent.ts'
import type { LibrarySession } from './library-session.ts'
import { checkOptions, checkText } from './check-options.ts'
import { dollars, positive } from './run-options.ts'
import type { OffshootRun } from './run.ts'
import { withTools, type OwnTool } from './tool.ts'

/** One conversation: its messages and its subagents. */
export interface Chat<O = unknown> {
  /** null until the first message or subagent. */
  readonly conversationId: ConversationId | null
  /**
   * Sends a message to the main agent and resolves with the run that answers it. A paused last run resumes with it.
   * While the last run is active, the message waits in the inbox (see `mode`) and the promise resolves once a run reads
   * it. @throws OffshootError `conflict` if that run stops without reading it or another process drives it; `closed`.
   */
  send(text: string, options?: SendOptions): Promise<OffshootRun<O>>
  /**
   * Starts a subagent without a turn of the main agent. Its report is added to the main agent's context. @throws
   * OffshootError `usage` for an unknown agent, `conflict` beyond a limit, `closed`.
   */
  spawn<P = unknown>(task: string, options?: SpawnOptions<P>): Promise<OffshootRun<P>>
}

export interface ChatOptions<O = unknown> {
  /** Resumes a stored conversation. */
  readonly conversationId?: string | undefined
  /** Agent of the main branch: a name, or an agent defined in code. Default: `main`. */
  readonly agent?: string | OwnAgent<O> | undefined
  /** Additional agents for this conversation. */
  readonly agents?: readonly OwnAgent[] | undefined
  /** Additional tools for this conversation. */
  readonly tools?: readonly OwnTool[] | undefined
  /**
   * Value that custom tools receive as `context`, such as the user of a service: any JSON of at most 64 Ki characters.
   * It is stored with each run, so another process that resumes the run has it too. Models do not see it. Default: the
   * value of the last run.
   */
  readonly context?: Json | undefined
  /** Default: the model of the agent, else that of `createOffshoot`. */
  readonly model?: string | OwnModel | undefined
}

export interface StartOrder {
  /** Turns of this run. */
  readonly maxTurns?: number | undefined
  /** Model settings of this run; they override the settings of its agent. */
  readonly settings?: ModelSettings | undefined
  /** Budget of the conversation while this process drives it, US dollars. */
  readonly budgetUsd?: number | undefined
}

export interface SendOptions extends StartOrder {
  /**
   * If the last run is active: `follow_up` (default) waits until it stops and starts a new run; `steer` delivers the
   * message at that run's next turn.
   */
  readonly mode?: 'follow_up' | 'steer' | undefined
}

export interface SpawnOptions<P = unknown> extends StartOrder {
  /** Default: `general`. */
  readonly agent?: string | OwnAgent<P> | undefined
  /** Label for people. Default: the first words of the task. */
  readonly label?: string | undefined
  readonly model?: string | OwnModel | undefined
  /** Whether the report wakes the idle main agent. Default: `announce`, which only adds it to its context. */
  readonly deliver?: Deliver | undefined
}

/** @throws OffshootError `usage` for invalid options. */
export async function openChat<O>(session: LibrarySession, given: unknown): Promise<Chat<O>> {
  const options = checkOptions(chatSchema, given ?? {}, 'chat')
  const chatAgents = new ChatAgents(session, options)
  const main = chatAgents.agent(options.agent ?? 'main', 'chat')
  const model = await mainModel(session, main, options.model)
  const named = { isAgentNamed: options.agent !== undefined, isModelNamed: options.model !== undefined }
  const line = new Line(session, chatAgents, knownConversation(session, options.conversationId))
  const { runtime } = session.composed
  return {
    get conversationId() {
      return line.conversationId ?? null
    },
    async send(text, more) {
      const prompt = checkText(text, 'send')
      const { mode, ...order } = checkOptions(sendSchema, more ?? {}, 'send', OF_CHAT)
      const what = { ...stated(order), ...named, prompt, agent: main, model }
      return await line.send<O>(mode, (where) => runtime.start({ ...chatAgents.setting, ...where, ...what }))
    },
    async spawn<P>(task: string, more?: SpawnOptions<P>) {
      const text = checkText(task, 'spawn')
      const { agent = 'general', model: own, ...order } = checkOptions(spawnSchema, more ?? {}, 'spawn')
      const one = chatAgents.agent(agent, 'spawn')
      const chosen = own === undefined ? {} : { model: await session.modelId(own) }
      const about = { agent: one, task: text, defaultModel: async () => model }
      return await line.start<P>((where) =>
        runtime.spawn({ ...chatAgents.setting, ...where, ...stated(order), ...about, ...chosen }),
      )
    },
  }
}

type StartPlace = Pick<RunSetting, 'onStored'> & { readonly conversationId?: ConversationId }
type SendPlace = StartPlace & Pick<StartOptions, 'queue'>
type Start = (where: StartPlace) => Promise<StartedRun>

/**
 * Starts the operations of a conversation one after another: the first creates the conversation, the others find it.
 */
class Line {
  conversationId: ConversationId | undefined
  readonly #session: LibrarySession
  readonly #chatAgents: ChatAgents
  #last: Promise<unknown> = Promise.resolve()

  constructor(session: LibrarySession, chatAgents: ChatAgents, conversationId: ConversationId | undefined) {
    this.#session = session
    this.#chatAgents = chatAgents
    this.#know(conversationId)
  }

  start<O>(start: Start): Promise<OffshootRun<O>> {
    return this.#inOrder(async (where, first) => this.#session.drive<O>(await start(where), first))
  }

  /** The next operation does not wait until this message is read. */
  async send<O>(mode: InboxRow['mode'], start: (where: SendPlace) => Promise<StartedRun>) {
    let item: InboxRow | undefined
    const queue = { mode, onQueued: (queued: InboxRow) => (item = queued) }
    const begun = await this.#inOrder(async (where, first) => {
      const started = await start({ ...where, queue })
      if (!item) return this.#session.drive<O>(started, first)
      first.end()
      return { behind: started, item }
    })
    return 'behind' in begun ? await this.#session.readerOf<O>(begun.behind, begun.item) : begun
  }

  #inOrder<T>(start: (where: StartPlace, first: FirstEvents) => Promise<T>): Promise<T> {
    return this.#session.call(() => {
      const begun = this.#last.then(async () => {
        this.#session.checkOpen()
        const first = this.#session.firstEvents()
        const known = this.conversationId ? { conversationId: this.conversationId } : {}
        const onStored = (id: ConversationId) => {
          this.#know(id)
          first.follow(id)
        }
        return await start({ ...known, onStored }, first)
      })
      this.#last = bestEffort(begun)
      return begun
    })
  }

  #know(id: ConversationId | undefined): void {
    this.conversationId = id
    if (id) this.#session.keepSetting(id, this.#chatAgents.setting)
  }
}

/** The agents and tools of one conversation. */
class ChatAgents {
  readonly #session: LibrarySession
  readonly #tools: Registry
  readonly #context: Json | undefined
  #own: readonly AgentDefinition[]

  constructor(session: LibrarySession, { agents = [], tools = [], context }: z.output<typeof chatSchema>) {
    this.#session = session
    this.#context = context
    this.#tools = withTools(session.composed, tools, 'chat')
    this.#own = agents.map((each, i) => this.#read(each, `chat: agents.${i}`))
    checkAgents(this.#own, this.#tools, this.setting.agents!, 'chat')
  }

  get setting(): RunSetting {
    const { workspace, systemText, agents } = this.#session.composed
    const all = createAgentRegistry([...this.#own, ...agents.list()])
    return { workspace, systemText, agents: all, tools: this.#tools, context: this.#context }
  }

  /** Resolves a name, or registers an agent defined in code under its name. */
  agent(named: unknown, where: string): AgentDefinition {
    if (typeof named === 'string') return this.setting.agents!.require(named)
    const own = this.#read(named, `${where}: agent`)
    this.#own = [own, ...this.#own.filter(({ name }) => name !== own.name)]
    checkAgents([own], this.#tools, this.setting.agents!, where)
    return own
  }

  /** The configuration can set fields of this agent too. */
  #read(own: unknown, where: string): AgentDefinition {
    const { composed } = this.#session
    return configuredAgent(runtimeAgent(own, this.#session, where), composed.loaded.sources)
  }
}

const text = z.string().min(1)
const model = z.unknown().optional()
const contextSchema = z.unknown().superRefine((value, { addIssue }) => {
  const chars = charsOfJson(value)
  if (chars === undefined) addIssue('expected a JSON value')
  else if (chars > bounds.contextChars) addIssue(`expected at most ${bounds.contextChars} characters of JSON`)
}) as z.ZodType<Json>

/** Returns undefined for a value that is not JSON: circular, too deeply nested, or with a field that throws. */
function charsOfJson(value: unknown): number | undefined {
  try {
    const text = JSON.stringify(value)
    return z.json().safeParse(value).success ? text.length : undefined
  } catch {
    return undefined // reported by the schema as what was expected
  }
}

const chatSchema = z.strictObject({
  conversationId: text.optional(),
  agent: z.unknown().optional(),
  agents: z.array(z.unknown()).optional(),
  tools: z.array(z.unknown()).optional(),
  context: contextSchema.optional(),
  model,
})
const orderSchema = z.strictObject({
  maxTurns: positive,
  budgetUsd: dollars,
  settings: modelSettingsSchema().optional(),
})
const sendSchema = orderSchema.extend({ mode: z.enum(['follow_up', 'steer']).default('follow_up') })
/** Options that a message cannot set. */
const OF_CHAT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['agents', 'tools', 'context', 'agent', 'conversationId'].map((key) => [key, 'belongs to chat()']),
  ),
  model: 'belongs to chat() or createOffshoot()',
}
const spawnSchema = orderSchema.extend({
  agent: z.unknown().optional(),
  label: text.optional(),
  model,
  deliver: z.enum(delivers).optional(),
})

/** Drops the options that are undefined. */
function stated<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}

function knownConversation({ composed }: LibrarySession, id: string | undefined): ConversationId | undefined {
  if (id === undefined) return undefined
  const known = isId('cnv', id) ? id : undefined
  if (!known)
    throw new OffshootError('usage', `chat: ${JSON.stringify(id.slice(0, 100))} is not a conversation id`)
  return openConversation(composed, known, composed.workspace).conversation.id
}

/** Precedence: the call, the configuration of the agent, the agent, the library. */
async function mainModel(session: LibrarySession, agent: AgentDefinition, asked: unknown): Promise<string> {
  const { config } = session.composed.loaded
  const wanted = asked ?? config.agents[agent.name]?.model ?? agent.model ?? 'inherit'
  if (wanted === 'inherit') return session.model
  if (wanted !== 'small') return await session.modelId(wanted)
  return smallModel(session.model, config.smallModel ?? session.models.small(session.model))
}
