import { terminalLine } from '../core/terminal-text.ts'
import type { StartedRun } from '../runtime/begin.ts'
import type { Composed } from '../runtime/compose.ts'
import type { RecoveredRun } from '../runtime/recover-conversation.ts'
import { say, type Io } from './io.ts'

/** Tells what was taken up before a run began, and how many other conversations wait for that: nobody pays for those unasked. */
export async function sayRecovered({ recovered }: StartedRun, io: Io): Promise<void> {
  if (recovered.length === 0) return
  const runs = recovered.length === 1 ? 'a run' : `${recovered.length} runs`
  await say(io, `offshoot: taken up: ${runs} that a process left which has ended\n`)
  for (const each of recovered) for (const line of unknownLines(each)) await say(io, `offshoot: ${line}\n`)
}

/** What the person has to look after (domain.md R2). */
export function unknownLines({ run, unknown }: RecoveredRun): string[] {
  return unknown.map(
    (title) => `it is not known whether this took effect: ${terminalLine(title)} (${run.row.id})`,
  )
}

/** In one line on stderr how many conversations wait for `offshoot recover`. */
export async function sayOthersWait(
  { runtime }: Composed,
  { conversationId }: StartedRun,
  io: Io,
): Promise<void> {
  const others = runtime.left.conversations().filter((id) => id !== conversationId).length
  if (others === 0) return
  const what = others === 1 ? 'one more conversation was' : `${others} more conversations were`
  await say(
    io,
    `offshoot: ${what} left by a process that has ended; offshoot recover takes up what is left\n`,
  )
}
