import { promptLine } from './approval-prompt-text.ts'

interface Chosen {
  readonly text: string
  /** Why a number is no answer; absent: it is one. */
  readonly problem?: string
}

/**
 * What was typed as an answer. The number of an option is that option, and one that no option has is a slip: as words of
 * one's own it stands between quotes.
 */
export function chosenAnswer(options: readonly string[], typed: string): Chosen {
  const text = typed.trim()
  if (options.length === 0 || options.includes(text)) return { text }
  const [, quoted] = QUOTED.exec(text) ?? []
  if (quoted !== undefined) return { text: quoted }
  if (!NUMBER.test(text)) return { text }
  const option = /^[1-9]/.test(text) ? options[Number(text) - 1] : undefined
  if (option !== undefined) return { text: option }
  return { text, problem: `${promptLine(text)} is not the number of an option` }
}

const NUMBER = /^[+-]?\d+$/
const QUOTED = /^"([+-]?\d+)"$/

/** What a command line takes as an answer. */
export function answerWord({ options }: { readonly options: readonly string[] }): string {
  return options.length > 0 ? 'OPTION|TEXT' : 'TEXT'
}
