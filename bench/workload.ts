import { z } from 'zod'

/** What every contestant is given: one system text, one tool in memory, and prompts that the model server plays out. */
export interface Conversation {
  /** Where the model server listens, with its version. */
  readonly baseUrl: string
  readonly prompt: string
}

/** What a conversation came to; compared with what the model server was asked for, so that nobody skips work. */
export interface Outcome {
  readonly turns: number
  /** Characters of text, counted from the pieces in which they came. */
  readonly characters: number
}

export interface Contestant {
  /** One conversation from its prompt to the end of its last answer. */
  converse(conversation: Conversation): Promise<Outcome>
  /** A parent that asks for children in one answer, the children side by side, and the parent's conclusion. */
  fanOut?(fanOut: FanOut): Promise<Outcome>
  close?(): Promise<unknown>
}

export interface FanOut {
  readonly baseUrl: string
  readonly children: number
  /** Turns with a tool call of each, before its last answer. */
  readonly turns: number
  /** How long the model server takes for each turn of a child. */
  readonly latencyMs: number
}

export const MODEL = 'bench'

/** The length of the system text of a small agent. */
export const SYSTEM =
  'You work in a bench. Look things up, one at a time, and conclude when you know enough. '.repeat(20)

export const lookupInput = z.object({ key: z.string().describe('what to look up') })
export const LOOKUP = { name: 'lookup', description: 'Looks a key up and returns what is known about it.' }
export const LOOKUP_SCHEMA = {
  type: 'object',
  properties: { key: { type: 'string', description: 'what to look up' } },
  required: ['key'],
  additionalProperties: false,
} as const

/** The tool: 200 characters out of memory, or as many as the key ends with. */
export function lookup({ key }: { readonly key: string }): string {
  const [, chars] = key.split(' of ')
  return `${key}: ${chars ? KNOWN.repeat(Number(chars) / KNOWN.length) : KNOWN}`
}

const KNOWN = 'known since long ago, and of little use to anybody. '.repeat(4)

/** What a parent calls; each contestant gives its child the prompt, and the call the text of the child's last answer. */
export const taskInput = z.object({
  subagent_type: z.string(),
  description: z.string(),
  prompt: z.string(),
  max_tokens: z.int(),
})
export const TASK = { name: 'task', description: 'Starts a subagent and returns what it found.' }
export const TASK_SCHEMA = {
  type: 'object',
  properties: {
    subagent_type: { type: 'string' },
    description: { type: 'string' },
    prompt: { type: 'string' },
    max_tokens: { type: 'integer' },
  },
  required: ['subagent_type', 'description', 'prompt', 'max_tokens'],
  additionalProperties: false,
} as const

/** Asks the model server for so many turns with one tool call each, and a last answer. */
export function turnsPrompt(turns: number, latencyMs = 0, resultChars = 0): string {
  return `turns ${turns} ${latencyMs} ${resultChars}`
}

/** Asks for one answer of so many pieces of text. */
export function deltasPrompt(deltas: number): string {
  return `deltas ${deltas}`
}

/** Asks for one answer with so many `task` calls of so many turns each, and a last answer. */
export function fanOutPrompt({ children, turns, latencyMs }: FanOut): string {
  return `children ${children} ${turns} ${latencyMs}`
}
