import type { RunRow } from '../protocol/run.ts'

type State = Pick<RunRow, 'status' | 'reason' | 'endReason' | 'queuePosition' | 'waitingFor' | 'pausing'>

/** `Done`, `Running`, `Waiting for you`, `Queued (2nd)`, `Paused (limit: max turns)`. Only `completed` has another name. */
export function stateWords(run: State): string {
  switch (run.status) {
    case 'completed':
      return 'Done'
    case 'queued':
      return run.queuePosition === null ? 'Queued' : `Queued (${ordinal(run.queuePosition)})`
    case 'running':
      return run.pausing ? 'Running, about to pause' : 'Running'
    case 'waiting':
      return `Waiting for ${waitWords(run)}`
    case 'paused':
      return run.reason === null ? 'Paused' : `Paused (${pauseWords(run)})`
    case 'failed':
      return 'Failed'
    case 'cancelled':
      return 'Cancelled'
  }
}

function waitWords({ reason }: State): string {
  if (reason === 'approval' || reason === 'question') return 'you'
  if (reason === 'children') return 'subagents'
  return reason === 'retry' ? 'the provider' : 'something'
}

function pauseWords({ reason, endReason }: State): string {
  if (reason !== 'limit' || endReason === null) return reason === 'user' ? 'by you' : String(reason)
  return `limit: ${endReason.replaceAll('_', ' ')}`
}

function ordinal(n: number): string {
  const tens = n % 100
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')
  return `${n}${suffix}`
}

/** Icon of a state; the word always stands beside it. */
export function stateMark({ status, reason }: Pick<RunRow, 'status' | 'reason'>): string {
  if (status === 'waiting') return reason === 'approval' || reason === 'question' ? '⚑' : '◌'
  return { queued: '⧗', running: '◐', paused: '⏸', completed: '✓', failed: '✗', cancelled: '⊘' }[status]
}
