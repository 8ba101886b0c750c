import type { OffshootEvent } from '../../core/events.ts'
import type { RunId } from '../../core/ids.ts'
import { isStopped } from '../../core/run-status.ts'
import type { StoredRun } from '../../core/run.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { StartedRun } from '../../runtime/control/acquire-and-drive.ts'
import type { Reader } from '../../store/port.ts'
import type { Io } from '../io.ts'
import type { Output } from './output-formats.ts'
import { branchesBelow, isTreeDone } from './own-branches.ts'
import type { Watched } from './watched-run.ts'

/**
 * Says on stderr which runs of other branches this process drives as well: when each starts, and once more when the
 * command's own run has ended and the process waits for them. The returned function ends that.
 */
export function watchOthers(
  started: StartedRun,
  { store, runtime, isOwn }: Pick<Watched, 'store' | 'runtime' | 'isOwn'>,
  output: Pick<Output, 'pause'>,
  io: Pick<Io, 'stderr'>,
): () => void {
  if (!isOwn) return () => {}
  const [named, awaited] = [new Set<RunId>(), new Set<RunId>()]
  const say = (text: string) => {
    const resume = output.pause()
    io.stderr.write(`offshoot: ${terminalLine(text)}\n`)
    resume()
  }
  const look = () => {
    const others = otherRuns(store, started)
    for (const run of newIn(named, others)) say(`this process also drives ${nameOf(run)}`)
    if (others.length === 0 || !isTreeDone(store, started)) return
    const ids = newIn(awaited, others).map(({ id }) => id)
    if (ids.length > 0) say(`done here, but this process still drives ${ids.join(', ')}; Ctrl-C pauses it`)
  }
  const end = runtime.subscribe(started.conversationId, (events) => {
    if (events.some(({ type }) => CHANGES.has(type))) look()
  })
  look()
  return end
}

/** Events after which other runs are driven, or the own run is not any more. */
const CHANGES: ReadonlySet<OffshootEvent['type']> = new Set([
  'run.queued',
  'run.started',
  'run.paused',
  'run.completed',
  'run.failed',
  'run.cancelled',
])

/** Each with what is below it. */
function otherRuns(store: Reader, { conversationId, branchId }: StartedRun): StoredRun[] {
  const own = branchesBelow(store, branchId)
  const others = store
    .find('runs', { where: { conversationId }, orderBy: 'id' })
    .filter((run) => !own.has(run.branchId) && !isStopped(run.status))
  const ids = new Set(others.map(({ id }) => id))
  return others.filter(({ parentRunId }) => parentRunId === null || !ids.has(parentRunId))
}

function newIn(known: Set<RunId>, runs: readonly StoredRun[]): StoredRun[] {
  const fresh = runs.filter(({ id }) => !known.has(id))
  for (const { id } of fresh) known.add(id)
  return fresh
}

/** `run_… on brn_… (main: fix it)`. */
function nameOf({ id, branchId, agent, description }: StoredRun): string {
  return `${id} on ${branchId} (${description === agent ? agent : `${agent}: ${description}`})`
}
