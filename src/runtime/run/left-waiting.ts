import { isStopped, state } from '../../core/run-status.ts'
import type { Change } from '../log/recorder.ts'
import { waitingForChildren } from './child-waits.ts'
import { changeRun, keepsAsking, type LiveRun } from './live-run.ts'

/**
 * Whether a stopped run still waits, for a person or for a child that does. Every run below it must have finished
 * stopping.
 */
export function isLeftWaiting(run: LiveRun): boolean {
  if (!keepsAsking(run)) return false
  const { status, reason } = run.row
  const waitsForAll = status === 'waiting' && reason === 'children'
  const below = [...run.children.values()].filter(({ row }) => waitsForAll || !row.background)
  return run.stillAsking.size > 0 || below.some(({ row }) => !isStopped(row.status))
}

/** Keeps the run waiting, for the process that recovers it. Its own work has already stopped. */
export function leaveWaiting(change: Change, run: LiveRun): void {
  if (run.row.status !== 'running') return
  const open = [...run.children.values()].filter(({ row }) => !row.background && !isStopped(row.status))
  changeRun(change, run, {
    ...state.waiting('children'),
    waitingFor: waitingForChildren(change, open.length),
  })
}
