import type { MessageId } from '../../core/ids.ts'
import { authorOf, callsOf, textOf, type Message } from '../../core/message.ts'
import type { StoredRun } from '../../core/run.ts'
import { asksForConclusion, NO_TEXT } from '../../loop/instructions.ts'

/**
 * The turn of each complete answer of a run. Messages do not record it: a conclusion is not a turn of its own, and an
 * empty answer is a turn without a message. Such a turn precedes `NO_TEXT`, or lies between two messages that are not
 * answers; the run's figures give their number, and the latest places count.
 */
export function turnsOfAnswers(messages: readonly Message[], run: StoredRun): ReadonlyMap<MessageId, number> {
  const steps = stepsOf(messages, run)
  const count = (kind: Step['is']) => steps.filter(({ is }) => is === kind).length
  let toSkip = count('gap') - (run.turns - count('turn'))
  let turn = 0
  const turns = new Map<MessageId, number>()
  for (const { is, messageId } of steps) {
    if (is === 'turn' || (is === 'gap' && toSkip-- <= 0)) turn++
    if (messageId) turns.set(messageId, turn)
  }
  return turns
}

interface Step {
  readonly is: 'turn' | 'gap' | 'conclusion'
  readonly messageId?: MessageId
}

function stepsOf(messages: readonly Message[], run: StoredRun): Step[] {
  const all = messages.filter(({ role, state }) => role !== 'assistant' || state === 'complete')
  return all.flatMap((message, at): Step[] => {
    const before = all[at - 1]
    if (message.role === 'user') return unseen(message, before, run)
    if (message.role !== 'assistant' || message.runId !== run.id) return []
    const isConclusion = before !== undefined && asksForConclusion(instructionIn(before) ?? '')
    return [{ is: isConclusion ? 'conclusion' : 'turn', messageId: message.id }]
  })
}

/** The turn of an answer before this message that left, or may have left, no message. */
function unseen(message: Message, before: Message | undefined, run: StoredRun): Step[] {
  const text = instructionIn(message)
  if (text === undefined || before === undefined) return []
  if (text === NO_TEXT && message.runId === run.id) return isEmptyAnswer(before) ? [] : [{ is: 'turn' }]
  return before.role === 'user' && !asksForConclusion(text) ? [{ is: 'gap' }] : []
}

function isEmptyAnswer({ role, parts }: Message): boolean {
  return role === 'assistant' && textOf(parts).trim() === '' && callsOf(parts).length === 0
}

function instructionIn(message: Message): string | undefined {
  const found = message.parts.find((part) => part.type === 'text' && authorOf(part, message) === 'runtime')
  return found && textOf([found])
}
