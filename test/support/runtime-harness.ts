import { z } from 'zod'
import type { LanguageModelV4Message, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createAgentRegistry } from '../../src/agents/registry.ts'
import type { AgentDefinition } from '../../src/core/agent.ts'
import type { OffshootEvent } from '../../src/core/events.ts'
import type { ConversationId } from '../../src/core/ids.ts'
import { createModel } from '../../src/model/language-model.ts'
import type { Model, ModelInfo, ModelRequest } from '../../src/model/port.ts'
import { free } from '../../src/model/cost-of-usage.ts'
import type { ScriptInput } from '../../src/model/model-script.ts'
import { createScriptedModel, type ScriptedModel } from '../../src/model/scripted-model.ts'
import type { Layer } from '../../src/permissions/types.ts'
import { configSchema } from '../../src/config/config-schema.ts'
import type { ContinueOptions, Continued } from '../../src/runtime/control/continue-branch.ts'
import type { ForkStart } from '../../src/runtime/conversation/fork-branch.ts'
import { randomIds } from '../../src/runtime/log/new-id.ts'
import { Ownership } from '../../src/runtime/ownership/leases.ts'
import type { PersonSpawn } from '../../src/runtime/conversation/person-spawn.ts'
import type { Recovery, RecoverOptions } from '../../src/runtime/control/recover.ts'
import type { RunResult } from '../../src/runtime/views/run-result.ts'
import type { StartedRun } from '../../src/runtime/control/acquire-and-drive.ts'
import type { StartOptions } from '../../src/runtime/conversation/main-run.ts'
import { createRuntime, type Runtime, type RuntimeOptions } from '../../src/runtime/host/runtime.ts'
import { handClock, type HandClock } from '../../src/testing/hand-clock.ts'
import type { VerbAnswers, VerbCommand } from '../../src/runtime/control/verbs.ts'
import { createMemoryStore } from '../../src/store/memory.ts'
import type { Store } from '../../src/store/port.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { defineTool } from '../../src/tools/define-tool.ts'
import type { AnyTool, Tool, ToolContext, Workspace } from '../../src/tools/port.ts'
import { createRegistry } from '../../src/tools/registry.ts'
// The program loads it with the first command line, and the clock of a test does not wait for a file.
import '../../src/permissions/shell/shell-items.ts'

export { handClock, type HandClock }

const START = 1_800_000_000_000

/** Both stores, for `describe.each`. */
export const stores = [
  ['memory', async () => createMemoryStore()],
  ['sqlite', () => openSqliteStore({ file: ':memory:', now: () => START })],
] as const satisfies readonly (readonly [string, () => Promise<Store>])[]

const workspace: Workspace = {
  root: '/w',
  resolve: (path) => ({ absolute: `/w/${path}`, relative: path, outside: false, guarded: null }),
}

type ToolSpec = Partial<Omit<Tool<Input, unknown>, 'execute'>> & {
  readonly execute?: (input: Input, context: ToolContext) => unknown
}
type Input = Readonly<Record<string, unknown>>

/** A tool with what a test leaves out filled in: it reads, and answers `NAME done`. */
export function tool(name: string, spec: ToolSpec = {}): AnyTool {
  const { execute = () => `${name} done`, ...rest } = spec
  return defineTool<Input, unknown>({
    name,
    toolset: 'files',
    description: `the tool ${name}`,
    inputSchema: z.looseObject({}),
    effects: 'none',
    idempotent: true,
    subject: () => [],
    title: () => name,
    execute: execute as Tool<Input, unknown>['execute'],
    toModelOutput: (output) => ({ text: output as string }),
    ...rest,
  })
}

export function agent(name: string, more: Partial<AgentDefinition> = {}): AgentDefinition {
  return { name, description: `the agent ${name}`, prompt: `You are ${name}.`, source: 'test', ...more }
}

const modelInfo: ModelInfo = {
  id: 'scripted',
  provider: 'scripted',
  label: 'scripted',
  window: null,
  maxOutput: null,
  price: free,
}

/** A model of somebody's own: the pieces of its n-th answer, or whatever else it does. */
export function rawModel(
  answer: (n: number, request: ModelRequest) => ReturnType<Model['stream']> | readonly unknown[],
  info: Partial<ModelInfo> = {},
): Model {
  let n = 0
  return {
    info: { ...modelInfo, id: 'own/model', ...info },
    stream: async (request) => {
      const given = answer(n++, request)
      return Array.isArray(given) ? streamOf(given) : await (given as ReturnType<Model['stream']>)
    },
  }
}

/** A stream of these pieces; `open`: it does not end by itself. */
export function streamOf(pieces: readonly unknown[], end: 'close' | 'open' = 'close') {
  return new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece as LanguageModelV4StreamPart)
      if (end === 'close') controller.close()
    },
  })
}

export const finish = (unified = 'stop') => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage: {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  },
})
export const said = (text: string, id = 't') => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta: text },
  { type: 'text-end', id },
]
export const called = (toolName: unknown, input: unknown = '{}') => ({
  type: 'tool-call',
  toolCallId: 'c',
  toolName,
  input,
})

export interface HarnessOptions {
  readonly script?: ScriptInput['agents']
  readonly model?: Model
  readonly resolveModel?: () => Promise<Model>
  readonly tools?: readonly AnyTool[]
  readonly agents?: readonly AgentDefinition[]
  readonly config?: unknown
  readonly layers?: readonly Layer[]
  /** Those of them that the files of the directory give; default: all. */
  readonly sharedLayers?: readonly Layer[]
  /** The mode that this process was told; its layer is in `layers`. */
  readonly namedMode?: RuntimeOptions['namedMode']
  readonly store?: Store
  readonly clock?: HandClock
  /** Default: there is nothing to end. */
  readonly endProcesses?: RuntimeOptions['endProcesses']
  readonly tellUnknown?: RuntimeOptions['tellUnknown']
  /** Whether it takes leases, as where other processes may know the store. */
  readonly hasLeases?: boolean
}

export interface Harness {
  readonly runtime: Runtime
  readonly store: Store
  readonly clock: HandClock
  readonly scripted: ScriptedModel
  /** What subscribers were told of every conversation that was started here. */
  readonly told: OffshootEvent[]
  /** Starts a run and subscribes to its conversation. */
  start(prompt: string, more?: Partial<StartOptions>): Promise<StartedRun>
  /** Starts a subagent as a person does, `explore` unless said otherwise, and subscribes to its conversation. */
  spawn(task: string, more?: Partial<PersonSpawn>): Promise<StartedRun>
  /** Goes another way from a message, and subscribes. */
  fork(messageId: string, text: string, more?: Partial<ForkStart>): Promise<StartedRun>
  /** Goes on with what an id means, and subscribes. */
  continue(target: string, more?: Partial<ContinueOptions>): Promise<Continued>
  /** Takes up what is left, and drives it until it waits for people or has ended. */
  recover(more?: Partial<RecoverOptions>): Promise<Recovery>
  /** Has a verb carried out; on what this runtime does not drive as on what a dead process left. */
  perform<V extends VerbCommand>(id: ConversationId, command: V): Promise<VerbAnswers[V['verb']]>
  /** Starts a run and waits for its end; time jumps where only time is missing. */
  run(prompt: string, more?: Partial<StartOptions>): Promise<RunResult>
  /** Waits until every subscriber was told everything. */
  flush(): void
}

const MAIN = agent('main')
/** A machine on which every process lives. */
const ALONE = { self: { host: 'here', bootId: 'boot', pid: 1, pidStart: 0 }, startOf: () => 0 }

/** A runtime in memory with a scripted model, whose agents are `main`, `general` and `explore` unless said otherwise. */
export function harness(options: HarnessOptions = {}): Harness {
  const clock = options.clock ?? handClock()
  const store = options.store ?? createMemoryStore()
  const scripted = createScriptedModel({ agents: options.script ?? {} }, { clock })
  const model = options.model ?? createModel(scripted, modelInfo, { now: clock.now })
  const told: OffshootEvent[] = []
  const known = createAgentRegistry(options.agents ?? [MAIN, agent('general'), agent('explore')])
  const subscribed = new Map<ConversationId, () => void>()
  const runtime = createRuntime({
    store,
    clock,
    newId: randomIds(clock),
    random: () => 0.5,
    tools: createRegistry(options.tools ?? []),
    agents: known,
    resolveModel: options.resolveModel ?? (async () => model),
    smallModelOf: (id) => id,
    config: configSchema().parse(options.config ?? {}),
    rootLayers: options.layers ?? [],
    sharedLayers: options.sharedLayers,
    namedMode: options.namedMode,
    endProcesses: options.endProcesses ?? (async () => []),
    endOwned: async () => [],
    owner: 'test',
    tellUnknown: options.tellUnknown,
    ...(options.hasLeases
      ? { ownership: new Ownership({ store, clock, owner: 'test', processes: ALONE }) }
      : {}),
  })
  const follow = (id: ConversationId) => {
    if (!subscribed.has(id))
      subscribed.set(
        id,
        runtime.subscribe(id, (events) => void told.push(...events)),
      )
  }
  const systemText: StartOptions['systemText'] = ({ agent, tools }) =>
    `${agent.prompt} Tools: ${tools.join(', ')}.`
  const followed = async (starting: Promise<StartedRun>) => {
    const started = await starting
    follow(started.conversationId)
    return started
  }
  const where = { workspace, systemText, defaultModel: async () => 'scripted' }
  const start: Harness['start'] = (prompt, more = {}) =>
    followed(runtime.start({ workspace, prompt, agent: MAIN, model: 'scripted', systemText, ...more }))
  return {
    runtime,
    store,
    clock,
    scripted,
    told,
    start,
    spawn: (task, more) =>
      followed(runtime.spawn({ ...where, task, agent: known.require('explore'), ...more })),
    fork: (messageId, text, more) => followed(runtime.fork({ ...where, messageId, text, ...more })),
    async continue(target, more) {
      const conversationId = conversationOf(store, target)
      const continued = await runtime.continue({ ...where, conversationId, target, ...more })
      follow(conversationId)
      return continued
    },
    async recover(more) {
      for (const { id } of store.find('conversations', {})) follow(id)
      const recovery = await clock.until(runtime.recover({ ...where, ...more }))
      await clock.until(recovery.settled)
      return recovery
    },
    perform: (id, command) => clock.until(runtime.perform(id, command, where)),
    run: async (prompt, more) => clock.until((await start(prompt, more)).result),
    flush() {
      for (const [id, end] of subscribed) {
        end()
        subscribed.set(
          id,
          runtime.subscribe(id, (events) => void told.push(...events)),
        )
      }
    },
  }
}

function conversationOf(store: Store, id: string): ConversationId {
  const row = store.get('branches', id) ?? store.get('runs', id)
  return row?.conversationId ?? (id as ConversationId)
}

/** What a request says, one line a message: `assistant text(hi) call(read)`. */
export function shownPrompt(prompt: readonly LanguageModelV4Message[]): string[] {
  return prompt.map((message) => {
    if (message.role === 'system') return `system ${message.content}`
    return [message.role, ...message.content.map(shownContent)].join(' ')
  })
}

function shownContent(part: Exclude<LanguageModelV4Message, { role: 'system' }>['content'][number]): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return `${part.type}(${part.text})`
    case 'tool-call':
      return `call(${part.toolName})`
    case 'tool-result':
      return `result(${part.toolName}: ${resultText(part.output)})`
    default:
      return part.type
  }
}

function resultText(output: { readonly type: string; readonly value?: unknown; readonly reason?: unknown }) {
  const said = output.value ?? output.reason ?? output.type
  return typeof said === 'string' ? said : JSON.stringify(said)
}

/** Why a provider would refuse this request. Empty: it accepts it. */
export function refusals(prompt: readonly LanguageModelV4Message[]): string[] {
  const problems: string[] = []
  prompt.forEach((message, at) => {
    const where = `message ${at} (${message.role})`
    if (message.content.length === 0) problems.push(`${where} is empty`)
    if (message.role === 'system' && at > 0 && prompt[at - 1]!.role !== 'system')
      problems.push(`${where} stands behind others`)
    if (message.role !== 'assistant' && message.role !== 'tool') return
    const parts = message.content
    if (message.role === 'assistant' && parts.at(-1)?.type === 'reasoning')
      problems.push(`${where} ends with reasoning`)
    const other = message.role === 'assistant' ? prompt[at + 1] : prompt[at - 1]
    const mine = idsOf(message, message.role === 'assistant' ? 'tool-call' : 'tool-result')
    const theirs = other ? idsOf(other, message.role === 'assistant' ? 'tool-result' : 'tool-call') : ''
    if (mine !== theirs) problems.push(`${where}: ${mine} stands beside ${theirs}`)
  })
  if (prompt.at(-1)?.role === 'assistant') problems.push('it ends with an answer')
  return problems
}

function idsOf(message: LanguageModelV4Message, type: 'tool-call' | 'tool-result'): string {
  if (message.role === 'system' || message.role === 'user') return ''
  return message.content
    .flatMap((part) =>
      part.type === type ? [(part as unknown as { readonly toolCallId: string }).toolCallId] : [],
    )
    .join()
}
