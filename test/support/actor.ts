import { sleep, type Clock } from '../../src/core/clock.ts'
import { textOf } from '../../src/core/message.ts'
import type { Model, ModelRequest } from '../../src/model/port.ts'
import { finish, rawModel, said, streamOf } from './runtime-harness.ts'

/** What an agent does in one turn. */
export interface Move {
  readonly text?: string
  readonly calls?: readonly (readonly [tool: string, input: object])[]
  readonly delayMs?: number
}

/** What an agent has before it. */
export interface Seen {
  readonly agent: string
  readonly depth: number
  /** What came last: the text of the last message, results included. */
  readonly last: string
  /** The ids of subagents that it was told, in their order. */
  readonly ids: readonly string[]
}

export type Part = Move | ((seen: Seen) => Move)

export interface Actor {
  readonly model: Model
  /** Every request, the oldest first. */
  readonly seen: Seen[]
  /** What the agents of this name had before them, turn by turn. */
  of(agent: string): Seen[]
}

/** A model whose agents play their parts turn by turn; a part can look at what its agent was told. At the end: `NAME done`. */
export function actor(clock: Clock, parts: Readonly<Record<string, readonly Part[]>>): Actor {
  const left = new Map(Object.entries(parts).map(([name, list]) => [name, [...list]]))
  const seen: Seen[] = []
  const model = rawModel((_, request) => {
    const now = look(request)
    seen.push(now)
    const part = left.get(request.agent)?.shift() ?? { text: `${request.agent} done` }
    return play(clock, request, typeof part === 'function' ? part(now) : part)
  })
  return { model, seen, of: (agent) => seen.filter((each) => each.agent === agent) }
}

async function play(clock: Clock, { signal }: ModelRequest, { text, calls = [], delayMs }: Move) {
  if (delayMs) await sleep(clock, delayMs, signal)
  const asked = calls.map(([toolName, input], at) => {
    return { type: 'tool-call', toolCallId: `c${at}`, toolName, input: JSON.stringify(input) }
  })
  return streamOf([...(text ? said(text) : []), ...asked, finish(asked.length > 0 ? 'tool-calls' : 'stop')])
}

function look({ agent, depth, messages }: ModelRequest): Seen {
  const texts = messages.map(({ parts }) =>
    parts.map((part) => (part.type === 'tool-result' ? part.output.text : textOf([part]))).join('\n'),
  )
  const ids = texts.join('\n').match(/brn_[0-9A-Z]{26}/g) ?? []
  return { agent, depth, last: texts.at(-1) ?? '', ids: [...new Set(ids)] }
}
