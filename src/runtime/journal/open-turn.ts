import { answerTexts, isCompleteAnswer } from '../../core/report/answer-texts.ts'
import type { MessageId } from '../../core/ids.ts'
import type { Message, ToolCallPart, ToolResultPart } from '../../core/message.ts'
import type { StoredRun, ToolCall } from '../../core/run.ts'
import { noUsage } from '../../core/usage.ts'
import type { Answer, TurnText } from '../../loop/ports.ts'
import type { EndedPair } from '../../loop/repeats.ts'
import type { Reader } from '../../store/port.ts'
import { hasRun } from '../run/count-calls.ts'
import { readMessages } from '../run/messages.ts'
import { turnsOfAnswers } from './turns-of-answers.ts'

/** The stored part of a turn that has an answer but has not ended. */
export interface OpenTurn {
  readonly answer: Answer
  /** Position of the answer's message in its branch. */
  readonly position: number
  readonly calls: readonly ToolCallPart[]
  readonly results: readonly ToolResultPart[]
  readonly rows: readonly ToolCall[]
  /** Message with the results; absent without any. */
  readonly toolMessage: Message | undefined
  /** Number of calls of the whole run that ran. */
  readonly toolCalls: number
}

/** What earlier attempts of a run left: the open turn, the texts, and the calls before that turn. */
export interface LeftOfRun {
  readonly turn: OpenTurn | undefined
  /** Texts of its turns, oldest first, after those of earlier runs that they continue. */
  readonly texts: readonly TurnText[]
  /** The next answer continues a cut one. */
  readonly goesOn: boolean
  /** For a fork: its origin message. */
  readonly origin: MessageId | null
  readonly lastCalls: readonly EndedPair[]
}

export function readLeft(reader: Reader, run: StoredRun): LeftOfRun {
  const messages = readMessages(reader, run.branchId)
  const turn = openTurnIn(messages, reader, run)
  const before = messages.filter(({ position }) => !turn || position < turn.position)
  const origin = reader.get('branches', run.branchId)?.originMessageId ?? null
  return { turn, ...textsOf(messages, run, origin), origin, lastCalls: callsSinceTold(before, run) }
}

/** The open turn of a run; undefined if its last answer is complete, or there is none. */
export function readOpenTurn(reader: Reader, run: StoredRun): OpenTurn | undefined {
  return openTurnIn(readMessages(reader, run.branchId), reader, run)
}

/** Whether a result of its calls is missing, so that nothing else may follow the answer yet. */
export function hasOpenCalls(turn: OpenTurn | undefined): turn is OpenTurn {
  return turn !== undefined && turn.results.length < turn.calls.length
}

function openTurnIn(messages: readonly Message[], reader: Reader, run: StoredRun): OpenTurn | undefined {
  const message = messages.findLast(({ role, state }) => role === 'assistant' && state === 'complete')
  if (!message || message.runId !== run.id) return undefined
  const calls = message.parts.filter((part) => part.type === 'tool-call')
  const later = messages.filter(({ position }) => position > message.position)
  const toolMessage = later.find(({ role }) => role === 'tool')
  const results = toolMessage?.parts.filter((part) => part.type === 'tool-result') ?? []
  const isOver =
    calls.length > 0 ? results.length === calls.length : later.some(({ role }) => role === 'user')
  if (isOver) return undefined
  const ofRun = reader.find('tool_calls', { where: { runId: run.id } })
  const rows = ofRun.filter((row) => row.messageId === message.id)
  const answer = answerOf(message, run, rows)
  const toolCalls = ofRun.filter(({ status }) => hasRun(status)).length
  return { answer, position: message.position, calls, results, rows, toolMessage, toolCalls }
}

/**
 * Only the run's figures hold the cost and the end of a request. In a row of an older program, a call says that the
 * answer was cut.
 */
function answerOf(message: Message, run: StoredRun, rows: readonly ToolCall[]): Answer {
  const { id: messageId, parts } = message
  const isTruncated = rows.some(({ error }) => error?.code === 'truncated')
  const reason = run.finishReason ?? (isTruncated ? 'max_output_tokens' : 'other')
  const end = { reason, said: null }
  return { messageId, parts, turn: run.turns, usage: message.usage ?? noUsage, costUsd: null, end }
}

/** The calls of a run with their results since the last input from outside: a continued run may retry. */
function callsSinceTold(messages: readonly Message[], run: StoredRun): readonly EndedPair[] {
  const told = messages.findLastIndex(({ role, runId }) => role === 'user' && runId !== run.id)
  const parts = messages
    .slice(told + 1)
    .filter(({ state, runId }) => state === 'complete' && runId === run.id)
    .flatMap((message) => message.parts)
  const results = new Map(parts.flatMap((part) => (part.type === 'tool-result' ? [[part.callId, part]] : [])))
  return parts.flatMap((part) => {
    const result = part.type === 'tool-call' && results.get(part.callId)
    return result ? [[part, result] as const] : []
  })
}

function textsOf(
  messages: readonly Message[],
  run: StoredRun,
  origin: MessageId | null,
): Pick<LeftOfRun, 'texts' | 'goesOn'> {
  const { texts, unanswered } = answerTexts(messages, isCompleteAnswer)
  const goesOn = unanswered !== undefined
  const turns = turnsOfAnswers(messages, run)
  const own = texts.findIndex(({ messageId }) => turns.has(messageId))
  let start = own < 0 ? texts.length : own
  // a cut answer may belong to an earlier run
  while (start > 0 && (start < texts.length ? texts[start]!.goesOn : goesOn)) start--
  const said = texts.slice(start).filter(({ text }) => text.trim() !== '')
  const all = said.map((each, at) => ({
    ...each,
    turn: turns.get(each.messageId) ?? null,
    // before the first answer of a branch there is only its origin
    ...(at === 0 && start === 0 && each.goesOn && origin ? { after: origin } : {}),
  }))
  return { texts: all, goesOn }
}
