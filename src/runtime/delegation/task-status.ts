import { toolCallWords } from '../../core/report/report-envelope.ts'
import { z } from 'zod'
import { sleep, type Clock } from '../../core/clock.ts'
import { elapsedMs } from '../../core/elapsed.ts'
import { isFinal, isStopped } from '../../core/run-status.ts'
import type { Run } from '../../core/run.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { bestEffort } from '../../core/rejections.ts'
import { unlessAborted } from '../../loop/unless-aborted.ts'
import type { AnyTool } from '../../tools/port.ts'
import { dollars } from '../budget/money-text.ts'
import { count } from '../budget/token-count.ts'
import type { Budget } from '../budget/budget.ts'
import { controlTool } from './control-tool.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { Deps } from '../context/deps.ts'
import type { ScopePart } from '../context/scope.ts'
import {
  knownIds,
  requireSubagent,
  subagentsBelow,
  targetInput,
  type SubagentLookup,
  type Subagent,
} from './task-target.ts'

const MAX_WAIT_MS = 60_000

const waitMs = () =>
  z
    .number()
    .min(0)
    .optional()
    .describe(`wait for the first of them to stop, at most so many milliseconds (up to ${MAX_WAIT_MS})`)
const inputSchema = z.lazy(() => z.strictObject({ ...targetInput(), wait_ms: waitMs() }))

function modelSchema(): object {
  const shown = z.object({ task_id: z.string().optional().describe('only this one'), wait_ms: waitMs() })
  return z.toJSONSchema(shown, { target: 'draft-07', io: 'input' })
}

export type TaskStatusScope = SubagentLookup & ScopePart<StatusPorts, 'budget'>
type StatusPorts = Pick<Deps, 'clock' | 'scheduler'>

/** `task_status {task_id?, wait_ms?}`: one line per subagent. */
export function createTaskStatus(scope: TaskStatusScope, run: LiveRun): AnyTool {
  const read = (id: string | undefined) =>
    id ? [requireSubagent(scope, run, id)] : subagentsBelow(scope, run).toSorted(runningFirst)
  return controlTool<z.infer<typeof inputSchema>>({
    name: 'task_status',
    verb: 'Look at',
    inputSchema,
    modelSchema,
    idempotent: true,
    async execute({ task_id, wait_ms = 0 }, signal) {
      if (wait_ms > 0)
        await firstStop(scope.deps.clock, read(task_id), Math.min(wait_ms, MAX_WAIT_MS), signal)
      const found = read(task_id)
      return found.length > 0 ? found.map((each) => line(scope, run, each)).join('\n') : knownIds([])
    },
  })
}

/** Running first, then queued, then the rest, newest of each first. */
function runningFirst(a: Subagent, b: Subagent): number {
  return rank(a.row) - rank(b.row) || (a.branch.id < b.branch.id ? 1 : -1)
}

function rank({ status }: Run): number {
  if (isStopped(status)) return 2
  return status === 'queued' ? 1 : 0
}

async function firstStop(
  clock: Clock,
  targets: readonly Subagent[],
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const ends = targets.filter(({ row }) => !isStopped(row.status)).flatMap(({ live }) => live?.stopped ?? [])
  if (ends.length === 0) return
  const late = new AbortController()
  const time = bestEffort(sleep(clock, ms, late.signal))
  try {
    await unlessAborted(Promise.race([...ends, time]), signal, clock, 0)
  } finally {
    late.abort()
  }
}

function line(
  { deps: { clock, scheduler }, tree: { budget } }: ScopePart<StatusPorts, 'budget'>,
  run: LiveRun,
  { branch, row }: Subagent,
): string {
  const { lastAction } = row
  const seconds = elapsedMs({ queuedAt: row.queuedAt, endedAt: row.endedAt ?? clock.now() }) / 1000
  const columns = [
    row.branchId,
    row.agent,
    terminalLine(row.description),
    status(scheduler.position(row.id), row),
    `${row.turns}/${row.limits.maxTurns} turns`,
    toolCallWords(row.toolCalls),
    ...(lastAction ? [`last: ${lastAction.title}`] : []),
    `${seconds.toFixed(1)} s`,
    ...(isFinal(row.status) ? [] : leftText(budget, row)),
    ...(branch.parentBranchId === run.row.branchId ? [] : [`started by ${branch.parentBranchId}`]),
  ]
  return columns.join(' | ')
}

/** Without a known price, the remaining tokens. */
function leftText(budget: Pick<Budget, 'left' | 'reserved' | 'totals'>, row: Run): string[] {
  const { usd, tokens } = budget.left(row)
  const reserved = budget.reserved(row).usd
  if (usd !== null) return [`${dollars(usd)} left${reserved > 0 ? `, ${dollars(reserved)} reserved` : ''}`]
  if (tokens === null) return []
  return [`${count(tokens)} tokens left${budget.totals.isPriced ? '' : ' (no price is known)'}`]
}

function status(position: number | undefined, { status, reason, endReason, waitingFor }: Run): string {
  if (position !== undefined) return `${status}, number ${position} in line for a slot`
  if (waitingFor)
    return `${status} (${waitingFor.code ?? waitingFor.what}: ${terminalLine(waitingFor.detail)})`
  const why = [...new Set([reason, endReason])].filter((each) => each !== null && each !== 'done')
  return why.length > 0 ? `${status} (${why.join(', ')})` : status
}
