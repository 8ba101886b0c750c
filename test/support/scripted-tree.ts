import type { ChatCompletionRequest, ChatMessage } from '@copilotkit/aimock'
import { TestBuild } from '../mutants/test-build.ts'
import type { Mechanism } from './faults.ts'
import { providerEnvironment, startModelServer, type ModelServer, type ServerAnswer } from './model-server.ts'
import { commandLine, type StartedProgram } from './started-program.ts'
import { TestUser } from './test-user.ts'

/** What an agent answers; `never`: its provider does not. */
export type Turn =
  | Pick<ServerAnswer, 'text' | 'reasoning' | 'toolCalls' | 'usage' | 'finishReason' | 'error'>
  | 'never'

export interface Seen {
  /** The last message of the request: a task, results of tools, or what was said or delivered meanwhile. */
  readonly last: string
  readonly whole: string
  /** How long the answer may be. Tokens. */
  readonly maxTokens: number
}

/** Agents by the first message of their branch. The n-th answer of a branch is the n-th of its list, or the last. */
export type Actors = Readonly<Record<string, readonly (Turn | ((seen: Seen) => Turn | Promise<Turn>))[]>>

export interface TreeOptions {
  readonly config?: object
  readonly files?: Readonly<Record<string, string>>
  readonly off?: Mechanism | undefined
  /** Of the program, beside what points it at the scripted models. */
  readonly env?: Readonly<Record<string, string>>
}

const WAIT_S = 0.02
/** Says `NAME waits`, and goes on when the file `NAME.go` is there. */
const WAIT = `#!/bin/sh\necho "$1 waits"\nwhile [ ! -e "$1.go" ]; do sleep ${WAIT_S}; done\necho "waited $1"\n`

/** The program in the test build, with whole trees of agents whose models are one scripted server on loopback. */
export class ScriptedTree {
  readonly user: TestUser
  /** What each actor was asked, oldest first. */
  readonly asked: { readonly actor: string; readonly seen: Seen }[] = []
  readonly #server: ModelServer
  readonly #env: Record<string, string>
  readonly #build: TestBuild

  static async open(actors: Actors, options: TreeOptions = {}): Promise<ScriptedTree> {
    const server = await startModelServer()
    const tree = new ScriptedTree(server, actors, options)
    await tree.user.trust()
    return tree
  }

  private constructor(server: ModelServer, actors: Actors, { config = {}, files, off, env }: TreeOptions) {
    this.user = new TestUser({ 'wait.sh': WAIT, 'offshoot.jsonc': JSON.stringify(config), ...files })
    this.#build = new TestBuild(off)
    this.#env = { ...providerEnvironment('anthropic', server.url), ...env, ...this.#build.env }
    this.#server = server
    server.respond((request) => this.#answer(actors, request))
  }

  start(...args: readonly string[]): StartedProgram {
    return this.user.start(args, { env: this.#env, main: this.#build.main })
  }

  /** Starts a run of the main agent whose first message is `Go.`, with its events on stdout. */
  go(...args: readonly string[]): StartedProgram {
    return this.start('run', 'Go.', '--output-format', 'events', ...args)
  }

  async run(...args: readonly string[]): Promise<Document> {
    const { stdout, stderr, code } = await this.start('run', 'Go.', '--output-format', 'json', ...args).ended
    if (!stdout) throw new Error(`exit ${code}: ${stderr}`)
    return JSON.parse(stdout) as Document
  }

  /** What an actor was asked, oldest first. */
  of(actor: string): Seen[] {
    return this.asked.filter((each) => each.actor === actor).map(({ seen }) => seen)
  }

  /** The same command in another process would say the same. */
  async ps(...more: string[]): Promise<Listed[]> {
    const { stdout, stderr } = await this.user.call(['ps', '--json', ...more])
    if (!stdout) throw new Error(stderr)
    return JSON.parse(stdout) as Listed[]
  }

  /** The shell commands of its agents that run now, each once. */
  commands(): string[] {
    const lines = this.user.processes().map(commandLine)
    return [...new Set(lines)]
      .filter((line) => /^(?:sh|sleep) /.test(line) && line !== `sleep ${WAIT_S}`)
      .toSorted()
  }

  release(name: string): void {
    this.user.write(`${name}.go`, '')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.user.remove()
    this.#build[Symbol.dispose]()
    await this.#server.close()
  }

  #answer(
    actors: Actors,
    { messages, max_tokens }: ChatCompletionRequest,
  ): ServerAnswer | Promise<ServerAnswer> {
    const first = textOf(messages.find(({ role }) => role === 'user'))
    const actor = Object.keys(actors).find((each) => first.startsWith(each))
    if (actor === undefined) return { text: `nobody plays ${JSON.stringify(first.slice(0, 80))}` }
    const [last, whole] = [textOf(messages.at(-1)), messages.map(textOf).join('\n')]
    const seen = { last, whole, maxTokens: Number(max_tokens) }
    this.asked.push({ actor, seen })
    const answered = messages.filter(({ role }) => role === 'assistant').length
    const turn = actors[actor]![answered] ?? actors[actor]!.at(-1)!
    const answer = typeof turn === 'function' ? turn(seen) : turn
    return answer instanceof Promise ? answer.then(answerOf) : answerOf(answer)
  }
}

/** What `run --output-format json` prints, as far as scenarios look at it. */
export interface Document {
  readonly conversation_id: string
  readonly status: string
  readonly text: string
  readonly cost_usd: number
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
  readonly subagents: readonly {
    readonly note?: string
    readonly task_id: string
    readonly description: string
    readonly status: string
    readonly reason: string | null
    readonly end_reason: string | null
    readonly turns: number
    readonly cost_usd: number
    readonly started_at: number
    readonly ended_at: number
  }[]
  readonly permission_denials: readonly object[]
}

export interface Listed {
  readonly id: string
  readonly branchId: string
  readonly conversationId: string
  readonly agent: string
  readonly task: string
  readonly status: string
  readonly reason: string | null
  readonly depth: number
}

export interface TreeEvent {
  readonly type: string
  readonly depth: number
  readonly branchId: string
  readonly [field: string]: unknown
}

/** The events that a program has written so far. */
export function eventsOf({ stdout }: Pick<StartedProgram, 'stdout'>): TreeEvent[] {
  const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1)
  return whole.split('\n').flatMap((line) => (line ? [JSON.parse(line) as TreeEvent] : []))
}

/** Resolves with the first event that passes; rejects if the program ends without it. */
export async function untilEvent(
  program: StartedProgram,
  passes: (event: TreeEvent) => boolean,
): Promise<TreeEvent> {
  await program.untilStdout((held) => eventsOf({ stdout: held }).some(passes))
  return eventsOf(program).find(passes)!
}

/** What the parent's model has read of its subagents' reports, by task id. */
export function reportsIn(text: string): Map<string, string[]> {
  const reports = new Map<string, string[]>()
  const found = text.matchAll(/<subagent_report [^>]*task_id="(\w+)"[^>]*>\n([^]*?)\n?<\/subagent_report>/g)
  for (const [, id, body] of found) reports.set(id!, [...(reports.get(id!) ?? []), body!])
  return reports
}

/** A call of `task`; the first message of the subagent is `Do NAME.`, and NAME its description. */
export function task(name: string, more: object = {}) {
  const input = { subagent_type: 'general', description: name, prompt: `Do ${name}.`, ...more }
  return { tool: 'task', input }
}

export function bash(command: string) {
  return { tool: 'bash', input: { command } }
}

/** Waits until `release(name)`. */
function answerOf(turn: Turn): ServerAnswer | Promise<ServerAnswer> {
  return turn === 'never' ? new Promise(() => {}) : turn
}

export function waits(name: string) {
  return bash(`sh wait.sh ${name}`)
}

export const WAITS_ALLOWED = { tool: 'bash', pattern: 'sh wait.sh *', action: 'allow' }

function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? ''
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n')
}
