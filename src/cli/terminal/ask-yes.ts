import type { Io } from '../io.ts'
import { dropTyped, readLines } from './terminal-lines.ts'

/** Asks the person at the terminal. Anything but `y` or `yes` is a no, and so is what was typed before the question. */
export async function askYes(question: string, io: Io): Promise<boolean> {
  await dropTyped(io)
  const lines = readLines(io)
  try {
    const answer = await lines.next(`${question} [y/N] `, new AbortController().signal)
    return /^y(es)?$/i.test(answer?.trim() ?? '')
  } finally {
    lines.close()
  }
}
