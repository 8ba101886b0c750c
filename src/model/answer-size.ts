import { bounds } from '../core/limits.ts'
import { AnswerError } from './http-answer-bounds.ts'
import type { ModelPart } from './port.ts'

/**
 * Counts the size of a streaming answer: it is kept in memory, so an endless one would exhaust it. The returned
 * function returns an error for an answer that is too large.
 */
export function countAnswer(): (part: ModelPart) => AnswerError | undefined {
  let streamed = 0
  let inputs = 0
  let parts = 0
  return (part) => {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        streamed += lengthOf(part.delta)
        return streamed > bounds.answerChars ? TOO_LONG() : undefined
      case 'tool-call': // its input, which may have arrived in pieces before
        inputs += lengthOf(part.input)
        if (inputs > bounds.answerChars) return TOO_LONG()
        return ++parts > bounds.answerParts ? TOO_MANY() : undefined
      case 'text-start':
      case 'reasoning-start':
        return ++parts > bounds.answerParts ? TOO_MANY() : undefined
      default:
        return undefined
    }
  }
}

/** A custom model may send anything. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}

const MIB = bounds.answerChars / 1024 / 1024
const TOO_LONG = () =>
  new AnswerError(`the answer has more than ${MIB} MiB of text and call inputs, which is over the limit`)
const TOO_MANY = () =>
  new AnswerError(`the answer has more than ${bounds.answerParts} parts, which is over the limit`)
