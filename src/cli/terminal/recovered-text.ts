import { terminalLine } from '../../core/terminal-text.ts'
import type { StartedRun } from '../../runtime/control/acquire-and-drive.ts'
import type { Composed } from '../../runtime/host/compose.ts'
import type { RecoveredRun } from '../../runtime/run/recovered-run.ts'
import { writeStderr, type Io } from '../io.ts'

/** Tells what was taken up before a run began, and how many other conversations wait for that: nobody pays for those unasked. */
export async function printRecovered({ recovered }: StartedRun, io: Io): Promise<void> {
  if (recovered.length === 0) return
  await writeStderr(io, `offshoot: ${recoveredText(recovered)}\n`)
  for (const each of recovered)
    for (const line of unknownLines(each)) await writeStderr(io, `offshoot: ${line}\n`)
}

/** What was found, and what became of it, in one line. */
export function recoveredText(recovered: readonly RecoveredRun[]): string {
  const runs = recovered.length === 1 ? 'a run' : `${recovered.length} runs`
  const counts = BECAME.map(([became, words]) => [
    words,
    recovered.filter((each) => each.became === became).length,
  ])
  const outcome = counts.filter(([, count]) => count !== 0).map(([words, count]) => `${count} ${words}`)
  return `taken up: ${runs} that a process left which has ended: ${outcome.join(', ')}`
}

const BECAME = [
  ['queued', 'going on'],
  ['paused', 'paused'],
  ['failed', 'given up'],
  ['cancelled', 'cancelled'],
] as const

/** Calls whose effect is not known: the person has to check them (invariant R2). */
export function unknownLines({ run, unknown }: RecoveredRun): string[] {
  return unknown.map((began) => `${terminalLine(began)}: whether it took effect is not known (${run.row.id})`)
}

/** In one line on stderr how many conversations wait for `offshoot recover`. */
export async function printOthersWaiting(
  { runtime }: Composed,
  { conversationId }: StartedRun,
  io: Io,
): Promise<void> {
  const others = runtime.left.conversations().filter((id) => id !== conversationId).length
  if (others === 0) return
  const what = others === 1 ? 'one more conversation was' : `${others} more conversations were`
  await writeStderr(
    io,
    `offshoot: ${what} left by a process that has ended; offshoot recover takes up what is left\n`,
  )
}
