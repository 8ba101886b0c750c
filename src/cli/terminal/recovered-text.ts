import type { OffshootEvent } from '../../core/events.ts'
import { isStopped } from '../../core/run-status.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { StartedRun } from '../../runtime/control/acquire-and-drive.ts'
import type { TakenConversation } from '../../runtime/control/recover.ts'
import type { Composed } from '../../runtime/host/compose.ts'
import { Follow } from '../../runtime/log/follow.ts'
import type { RecoveredRun, TellUnknown, UnknownCall } from '../../runtime/run/recovered-run.ts'
import type { Reader } from '../../store/port.ts'
import { writeStderr, type Io } from '../io.ts'

/** Tells what was taken up before a run began, and how many other conversations wait for that: nobody pays for those unasked. */
export async function printRecovered({ recovered }: StartedRun, io: Io): Promise<void> {
  if (recovered.length === 0) return
  await writeStderr(io, `offshoot: ${recoveredText(recovered)}\n`)
  for (const line of resumedUnknownLines(recovered)) await writeStderr(io, `offshoot: ${line}\n`)
}

/** Calls whose effect is not known are told on stderr: the person has to check them (invariant R2). */
export function tellUnknownOn(io: Io): TellUnknown {
  return async (calls) => {
    for (const call of calls) await writeStderr(io, `offshoot: ${unknownCallLine(call)}\n`)
  }
}

function unknownCallLine({ began, runId }: UnknownCall): string {
  return unknownLine(began, runId)
}

/** Of runs that had paused, and go on with what was taken up. What a run had left was told before it was stored. */
export function resumedUnknownLines(recovered: readonly RecoveredRun[]): string[] {
  const resumed = recovered.filter(({ status }) => isStopped(status))
  return resumed.flatMap(({ unknown }) => unknown.map(unknownCallLine))
}

/** What was found, and what became of it, in one line. */
export function recoveredText(recovered: readonly RecoveredRun[]): string {
  const runs = recovered.length === 1 ? '1 run' : `${recovered.length} runs`
  const counts = BECAME.map(([became, words]) => [
    words,
    recovered.filter((each) => each.became === became).length,
  ])
  const outcome = counts.filter(([, count]) => count !== 0).map(([words, count]) => `${count} ${words}`)
  return `recovered ${runs} of a process that has died: ${outcome.join(', ')}`
}

const BECAME = [
  ['queued', 'resumed'],
  ['paused', 'paused'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
] as const

interface Watchable {
  readonly store: Reader
  readonly runtime: Pick<Composed['runtime'], 'subscribe'>
}

/**
 * Calls whose effect turns out not to be known after a position, stored or live: of a run that fails because the store is
 * full, for example. The returned function prints them, but not those of `recovered`, which were told then.
 */
export function watchUnknown(
  { store, runtime }: Watchable,
  { id, seqBefore }: TakenConversation,
  recovered: readonly RecoveredRun[],
  io: Io,
): () => Promise<void> {
  const printed = new Set(recovered.flatMap(({ unknown }) => unknown.map((call) => call.id)))
  const lines: string[] = []
  const keep = (events: readonly OffshootEvent[]) => {
    for (const event of events)
      if (event.type === 'tool.unknown' && !printed.has(event.callId))
        lines.push(unknownLine(event.title, event.runId ?? id))
  }
  const position = Follow.after(store, id, seqBefore)
  const catchUp = () => {
    for (const events of position.pages()) keep(events)
  }
  const leave = runtime.subscribe(id, (events) => keep(position.accepted(events)))
  catchUp()
  return async () => {
    leave()
    if (position.isBehind) catchUp()
    for (const line of lines) await writeStderr(io, `offshoot: ${line}\n`)
  }
}

function unknownLine(call: string, id: string): string {
  return `${terminalLine(call)}: whether it took effect is not known (${id})`
}

/** In one line on stderr how many conversations wait for `offshoot recover`. */
export async function printOthersWaiting(
  { runtime }: Composed,
  { conversationId }: StartedRun,
  io: Io,
): Promise<void> {
  const others = runtime.left.conversations().filter((id) => id !== conversationId).length
  if (others === 0) return
  const what = others === 1 ? '1 other conversation has' : `${others} other conversations have`
  await writeStderr(io, `offshoot: ${what} runs of a process that has died; offshoot recover resumes them\n`)
}
