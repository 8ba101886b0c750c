import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import { splitStdinData } from '../../core/stdin-data.ts'

/** An earlier tool call with its result. */
export interface PastCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly output: string
  /** Failed, denied, or skipped without a result: the output may say why. */
  readonly failed: boolean
}

/** The essence of a prompt: the question, and the findings so far. */
export interface Transcript {
  /** The latest message with a question. */
  readonly question: string
  /** Data from stdin that came with the question or a steer; null: none. */
  readonly data: string | null
  /** Messages to the run during its work, oldest first. */
  readonly steers: readonly string[]
  /** Earlier questions of the conversation, newest first. */
  readonly earlier: readonly string[]
  /** The tool calls for the question, by turn. */
  readonly turns: readonly (readonly PastCall[])[]
  /** Number of turns before the latest steer. */
  readonly turnsBeforeSteer: number
  /** Number of tool calls in the whole prompt, so that ids do not repeat. */
  readonly callCount: number
}

/** Characters examined per message, half of them from its end. */
const MESSAGE_CHARS = 12_000
const OUTPUT_CHARS = 200_000

/** Parses a prompt from the front. The cost per message is bounded. */
export function readTranscript(prompt: LanguageModelV4Prompt): Transcript {
  const results = resultsById(prompt)
  let state: Draft = { ...NOTHING, answered: true }
  for (const message of prompt) state = read(state, message, results)
  const { answered: _, ...transcript } = state
  return transcript
}

/** The runtime's messages to a run, which ask for nothing new. */
function isNotice(text: string): boolean {
  if (/^your report does not satisfy (?:its|the) schema\b/i.test(text)) return true
  if (text.length > 1_000) return false
  if (/^\s*continue your previous work\b/i.test(text)) return true
  return (
    /^\s*(you (have|had|ended|made|must|are|did|called|should)|reminder|conclude)\b/i.test(text) &&
    NOTICE.test(text)
  )
}

const NOTICE = /\bturns?\b|\bconclu(de|sion)\b|\btools?\b|\btool calls?\b|\bidentical\b|\bsame call\b/i

type Draft = Transcript & { readonly answered: boolean }

const NOTHING = {
  question: '',
  data: null,
  steers: [],
  earlier: [],
  turns: [],
  turnsBeforeSteer: 0,
  callCount: 0,
} satisfies Transcript

type Results = ReadonlyMap<string, LanguageModelV4ToolResultPart>

function read(state: Draft, { role, content }: LanguageModelV4Message, results: Results): Draft {
  if (role === 'user') return hear(state, splitStdinData(textOf(content)))
  return role === 'assistant' ? remember(state, content, results) : state
}

function hear(state: Draft, { prompt, data }: ReturnType<typeof splitStdinData>): Draft {
  const text = ends(prompt)
  if (state.question !== '' && isNotice(text)) return { ...state, answered: false }
  if (!state.answered && state.question !== '') {
    const steers = [...state.steers, text]
    return { ...state, steers, data: data ?? state.data, turnsBeforeSteer: state.turns.length }
  }
  const earlier = [...state.steers.toReversed(), state.question, ...state.earlier]
    .filter((past) => past.trim() !== '')
    .slice(0, 6)
  return { ...NOTHING, question: text, data, earlier, callCount: state.callCount, answered: false }
}

function remember(
  state: Draft,
  content: Extract<LanguageModelV4Message, { role: 'assistant' }>['content'],
  results: Results,
): Draft {
  const calls = content.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
  if (calls.length === 0) return { ...state, answered: true }
  const turn = calls.map(({ toolCallId, toolName, input }) =>
    pastCall(toolName, input, results.get(toolCallId)),
  )
  return {
    ...state,
    answered: false,
    turns: [...state.turns, turn],
    callCount: state.callCount + calls.length,
  }
}

function resultsById(prompt: LanguageModelV4Prompt): Results {
  const results = new Map<string, LanguageModelV4ToolResultPart>()
  for (const message of prompt) {
    if (message.role !== 'tool') continue
    for (const part of message.content) if (part.type === 'tool-result') results.set(part.toolCallId, part)
  }
  return results
}

function pastCall(tool: string, input: unknown, result: LanguageModelV4ToolResultPart | undefined): PastCall {
  const fields = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
  const { text, failed } = outputOf(result?.output)
  return { tool, input: fields, output: text.slice(0, OUTPUT_CHARS), failed }
}

function outputOf(output: LanguageModelV4ToolResultPart['output'] | undefined): Pick<PastCall, 'failed'> & {
  readonly text: string
} {
  if (!output) return { text: '', failed: true }
  if (output.type === 'execution-denied') return { text: output.reason ?? 'denied', failed: true }
  if (output.type === 'content') return { text: textOf(output.value), failed: false }
  const { type, value } = output
  return { text: typeof value === 'string' ? value : JSON.stringify(value), failed: type.startsWith('error') }
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n')
}

/** A text, its middle left out where it is long. */
function ends(text: string): string {
  if (text.length <= MESSAGE_CHARS) return text
  return `${text.slice(0, MESSAGE_CHARS / 2)}\n${text.slice(-MESSAGE_CHARS / 2)}`
}
