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

/** One conversation: what is said in it, and what is started below it. */
export interface Chat<O = unknown> {
  /** null until the first message or subagent. */
  readonly conversationId: ConversationId | null
  /**
   * Says something to the main agent and resolves with the run that answers it. A paused last run goes on with it. While
   * the last run has not stopped, the message waits in the inbox (`mode`), and this resolves once a run reads it.
   * @throws OffshootError `conflict` where that run stops without reading it, or another process drives it; `closed`.
   */
  send(text: string, options?: SendOptions): Promise<OffshootRun<O>>
  /**
   * Starts a subagent without a turn of the main agent. Its report stands in the main agent's context.
   * @throws OffshootError `usage` for an unknown agent, `conflict` beyond a limit, `closed`.
   */
  spawn<P = unknown>(task: string, options?: SpawnOptions<P>): Promise<OffshootRun<P>>
}

export interface ChatOptions<O = unknown> {
  /** Go on with a stored conversation. */
  readonly conversationId?: string | undefined
  /** Who works on the main branch: a name, or an agent of the program's own. Default: `main`. */
  readonly agent?: string | OwnAgent<O> | undefined
  /** More agents, for this conversation. */
  readonly agents?: readonly OwnAgent[] | undefined
  /** More tools, for this conversation. */
  readonly tools?: readonly OwnTool[] | undefined
  /**
   * What own tools receive as `context`, such as the user of a service: anything that JSON holds, at most 64 Ki characters.
   * It is stored with each run, so that a run which another process goes on with has it. No model sees it. Default: that of
   * the last run.
   */
  readonly context?: Json | undefined
  /** Default: the model of the agent, else that of `createOffshoot`. */
  readonly model?: string | OwnModel | undefined
}

export interface StartOrder {
  /** Turns of this run. */
  readonly maxTurns?: number | undefined
  /** How the model of this run is asked, before what its agent says. */
  readonly settings?: ModelSettings | undefined
  /** What the conversation may spend while it is driven, US dollars. */
  readonly budgetUsd?: number | undefined
}

export interface SendOptions extends StartOrder {
  /**
   * Where the last run has not stopped: `follow_up`, which is the default, waits until it has, and a run of its own
   * answers; `steer` is read by that run at its next turn.
   */
  readonly mode?: 'follow_up' | 'steer' | undefined
}

export interface SpawnOptions<P = unknown> extends StartOrder {
  /** Default: `general`. */
  readonly agent?: string | OwnAgent<P> | undefined
  /** What people see; default: the first words of the task. */
  readonly label?: string | undefined
  readonly model?: string | OwnModel | undefined
  /** Whether the report wakes the idle main agent. Default: `announce`, which only adds it to its context. */
  readonly deliver?: Deliver | undefined
}

/** @throws OffshootError `usage` for options that do not do. */
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
      const { mode, ...order } = checkOptions(sendSchema, more ?? {}, 'send')
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

/** Begins one thing of a conversation after the other: the first makes the conversation, and the others find it. */
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

  /** The next does not wait until this one is read. */
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

  /** By its name, or one of the program's own, which from here on has that name here. */
  agent(named: unknown, where: string): AgentDefinition {
    if (typeof named === 'string') return this.setting.agents!.require(named)
    const own = this.#read(named, `${where}: agent`)
    this.#own = [own, ...this.#own.filter(({ name }) => name !== own.name)]
    checkAgents([own], this.#tools, this.setting.agents!, where)
    return own
  }

  /** The configuration speaks of it too. */
  #read(own: unknown, where: string): AgentDefinition {
    const { composed } = this.#session
    return configuredAgent(runtimeAgent(own, this.#session, where), composed.loaded.sources)
  }
}

const text = z.string().min(1)
const model = z.unknown().optional()
const contextSchema = z.unknown().superRefine((value, { addIssue }) => {
  const chars = charsOfJson(value)
  if (chars === undefined) addIssue('expected what JSON holds')
  else if (chars > bounds.contextChars) addIssue(`expected at most ${bounds.contextChars} characters of JSON`)
}) as z.ZodType<Json>

/** undefined where it is none: a value in a circle, too deep, or one of which a field throws, among others. */
function charsOfJson(value: unknown): number | undefined {
  try {
    const text = JSON.stringify(value)
    return z.json().safeParse(value).success ? text.length : undefined
  } catch {
    return undefined // told as what is expected
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
const spawnSchema = orderSchema.extend({
  agent: z.unknown().optional(),
  label: text.optional(),
  model,
  deliver: z.enum(delivers).optional(),
})

/** Without the options that are undefined. */
function stated<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}

function knownConversation({ composed }: LibrarySession, id: string | undefined): ConversationId | undefined {
  if (id === undefined) return undefined
  const known = isId('cnv', id) ? id : undefined
  if (!known)
    throw new OffshootError('usage', `chat: ${JSON.stringify(id.slice(0, 100))} is no id of a conversation`)
  return openConversation(composed, known, composed.workspace).conversation.id
}

/** Order of precedence: asked for, configured for the agent, its own, that of the library. */
async function mainModel(session: LibrarySession, agent: AgentDefinition, asked: unknown): Promise<string> {
  const { config } = session.composed.loaded
  const wanted = asked ?? config.agents[agent.name]?.model ?? agent.model ?? 'inherit'
  if (wanted === 'inherit') return session.model
  if (wanted !== 'small') return await session.modelId(wanted)
  return smallModel(session.model, config.smallModel ?? session.models.small(session.model))
}
