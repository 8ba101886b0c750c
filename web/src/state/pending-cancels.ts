import { ClientError, type Client } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useSyncExternalStore } from 'react'
import { closeToast, showError, showToast } from '../ui/toasts.tsx'

/** How long a cancel can be undone. */
const UNDO_MS = 10_000

/** A run that this page has paused and will cancel when the time to undo is over. */
interface PendingCancel {
  readonly client: Client
  readonly run: Cancelled
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly timer: ReturnType<typeof setTimeout>
  /** The id of the toast that offers Undo. */
  readonly toast: number
  /** Resolves to undefined if the run could not be stopped. */
  readonly stopping: Promise<Stopped | undefined>
  /** The result of `stopping`, once it has resolved. */
  stopped?: Stopped | undefined
}

interface Stopped {
  /** The branches to continue if the cancel is undone. */
  readonly branches: readonly string[]
  /** When the run stopped. A run that was continued after this time is not cancelled. */
  readonly at: number
}

type Cancelled = Pick<RunRow, 'id' | 'conversationId' | 'branchId' | 'agent' | 'status' | 'endedAt'>

const pending = new Map<string, PendingCancel>()
const listeners = new Set<() => void>()

/** When a pending cancel of a run takes effect; undefined: none is pending. Milliseconds since the epoch. */
export function usePendingCancel(runId: string): number | undefined {
  return useSyncExternalStore(subscribe, () => pending.get(runId)?.at)
}

export function isCancelPending(runId: string): boolean {
  return pending.has(runId)
}

/**
 * Pauses a run at once, aborting its request or call, and cancels it after ten seconds unless a person undoes it. Until
 * then the run is paused for every client and costs nothing. Leaving the page cancels at once; if that request fails,
 * the run stays paused.
 */
export function cancelSoon(client: Client, run: Cancelled): void {
  if (pending.has(run.id)) return
  const toast = showToast({
    text: `${run.agent} is stopping and will be cancelled in ${UNDO_MS / 1000} s`,
    tone: 'plain',
    action: { label: 'Undo', onPress: () => undoCancel(run) },
    shownMs: UNDO_MS,
  })
  const cancel: PendingCancel = {
    client,
    run,
    toast,
    at: Date.now() + UNDO_MS,
    timer: setTimeout(() => void cancelNow(run.id), UNDO_MS),
    stopping: stop(client, run).then((stopped) => (cancel.stopped = stopped)),
  }
  pending.set(run.id, cancel)
  notify()
}

export function undoCancel({ id }: Pick<Cancelled, 'id'>): void {
  const cancel = take(id)
  if (!cancel) return
  void cancel.stopping.then((stopped) => goOn(cancel, stopped?.branches ?? []))
}

/** A run that cannot be continued stays paused; an error toast offers to continue it. */
async function goOn(cancel: PendingCancel, branches: readonly string[]): Promise<void> {
  const { client, run } = cancel
  const left = [...branches]
  try {
    for (; left[0] !== undefined; left.shift()) await client.continueBranch({ id: left[0] })
  } catch (error) {
    if (!isUnanswered(error)) return showError(error)
    showToast({
      text: `${run.agent} was not cancelled and stays paused: ${error.message}`,
      tone: 'failed',
      action: { label: 'Continue', onPress: () => void goOn(cancel, left) },
    })
  }
}

/** Subagents that the run waits for stop with it; its background runs do not, so they are stopped separately. */
async function stop(client: Client, run: Cancelled): Promise<Stopped | undefined> {
  try {
    const { conversationId: conversation } = run
    const live = await client.listRuns({ conversation, status: 'queued,running,waiting' })
    const branches = run.status === 'paused' ? [] : [run.branchId]
    const at = run.status === 'paused' ? run.endedAt : (await client.interruptRun({ id: run.id })).endedAt
    for (const { id, branchId } of below(live, run.id).filter(({ background }) => background)) {
      await client.interruptRun({ id })
      branches.push(branchId)
    }
    if (at !== null) return { branches, at }
    take(run.id)
    showContinued(run)
  } catch (error) {
    take(run.id) // the run finished on its own, or the server did not answer
    showError(error)
  }
  return undefined
}

function below(runs: readonly RunRow[], id: string): readonly RunRow[] {
  return runs
    .filter(({ parentRunId }) => parentRunId === id)
    .flatMap((child) => [child, ...below(runs, child.id)])
}

async function cancelNow(id: string): Promise<void> {
  const stopped = await pending.get(id)?.stopping
  const cancel = stopped && take(id)
  if (cancel) await send(cancel, stopped)
}

async function send(cancel: PendingCancel, { at }: Stopped): Promise<void> {
  const { client, run } = cancel
  try {
    const { outcome, status } = await client.cancelRun({ id: run.id, ifStoppedAt: at })
    if (outcome === 'already_finished' && status !== 'cancelled') showContinued(run)
  } catch (error) {
    if (error instanceof ClientError && error.code === 'conflict') return showContinued(run)
    if (!isUnanswered(error)) return showError(error)
    showToast({
      text: `${run.agent} was not cancelled and stays paused: ${error.message}`,
      tone: 'failed',
      action: { label: 'Cancel run', onPress: () => void send(cancel, { at, branches: [] }) },
    })
  }
}

function isUnanswered(error: unknown): error is ClientError {
  return error instanceof ClientError && error.status === 0
}

function showContinued({ agent }: Cancelled): void {
  showToast({ text: `${agent} was not cancelled because it was continued`, tone: 'plain' })
}

/** Undo disappears with the page, so pending cancels are sent now, except for runs that somebody continued. */
function sendAll(): void {
  for (const [id, { client, stopped }] of pending) {
    take(id)
    const condition = stopped ? { ifStoppedAt: stopped.at } : {}
    client.cancelRun({ id, ...condition }, { keepalive: true }).catch(leavePaused)
  }
}

function leavePaused(): void {}

function take(id: string): PendingCancel | undefined {
  const cancel = pending.get(id)
  if (!cancel) return undefined
  clearTimeout(cancel.timer)
  closeToast(cancel.toast)
  pending.delete(id)
  notify()
  return cancel
}

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

addEventListener('pagehide', sendAll)
