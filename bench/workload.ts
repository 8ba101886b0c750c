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
  /** One parent that starts children side by side and waits for all of them. */
  fanOut?(baseUrl: string, children: number, turns: number): Promise<Outcome>
  close?(): Promise<void>
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

/** The tool: 200 characters out of memory. */
export function lookup({ key }: { readonly key: string }): string {
  return `${key}: ${KNOWN}`
}

const KNOWN = 'known since long ago, and of little use to anybody. '.repeat(4)

/** Asks the model server for so many turns with one tool call each, and a last answer. */
export function turnsPrompt(turns: number): string {
  return `turns ${turns}`
}

/** Asks for one answer of so many pieces of text. */
export function deltasPrompt(deltas: number): string {
  return `deltas ${deltas}`
}

/** Asks for one answer with so many `task` calls of so many turns each, and a last answer. */
export function fanOutPrompt(children: number, turns: number): string {
  return `children ${children} ${turns}`
}
