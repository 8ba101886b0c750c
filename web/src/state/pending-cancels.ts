import type { Client } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useSyncExternalStore } from 'react'
import { showError, showToast } from '../ui/toasts.tsx'

/** How long a cancel can be undone. */
const UNDO_MS = 10_000

/** What is stopped here, and cancelled when its time has come. */
interface PendingCancel {
  readonly client: Client
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The branches that go on when the cancel is undone; undefined: it could not be stopped. */
  readonly stopped: Promise<readonly string[] | undefined>
  readonly timer: ReturnType<typeof setTimeout>
}

type Cancelled = Pick<RunRow, 'id' | 'conversationId' | 'branchId' | 'agent' | 'status'>

const pending = new Map<string, PendingCancel>()
const listeners = new Set<() => void>()

/** When a run is cancelled that a person has cancelled just now; undefined: it is not. Milliseconds since the epoch. */
export function usePendingCancel(runId: string): number | undefined {
  return useSyncExternalStore(subscribe, () => pending.get(runId)?.at)
}

export function isCancelPending(runId: string): boolean {
  return pending.has(runId)
}

/**
 * Stops a run at once, with the request or call that is under way, and cancels it after ten seconds unless that is undone.
 * Until then it is paused for everybody: nothing of it runs or costs. A page that is left cancels at once; one that
 * cannot leaves the run paused.
 */
export function cancelSoon(client: Client, run: Cancelled): void {
  if (pending.has(run.id)) return
  const stopped = stop(client, run)
  const timer = setTimeout(() => void cancelNow(client, run.id), UNDO_MS)
  pending.set(run.id, { client, at: Date.now() + UNDO_MS, stopped, timer })
  notify()
  showToast({
    text: `${run.agent} stops now, and is cancelled in ${UNDO_MS / 1000} s`,
    tone: 'plain',
    action: { label: 'Undo', onPress: () => undoCancel(run) },
    shownMs: UNDO_MS,
  })
}

export function undoCancel({ id }: Pick<Cancelled, 'id'>): void {
  const cancel = take(id)
  if (cancel) void goOn(cancel).catch(showError)
}

async function goOn({ client, stopped }: PendingCancel): Promise<void> {
  for (const id of (await stopped) ?? []) await client.continueBranch({ id })
}

/** What it waits for stops with it; what it has in the background does not, and is stopped too. */
async function stop(client: Client, run: Cancelled): Promise<readonly string[] | undefined> {
  try {
    const { conversationId: conversation } = run
    const live = await client.listRuns({ conversation, status: 'queued,running,waiting' })
    const stopped = run.status === 'paused' ? [] : [run.branchId]
    if (run.status !== 'paused') await client.interruptRun({ id: run.id })
    for (const { id, branchId } of below(live, run.id).filter(({ background }) => background)) {
      await client.interruptRun({ id })
      stopped.push(branchId)
    }
    return stopped
  } catch (error) {
    take(run.id) // it has ended by itself, or nobody could be asked
    showError(error)
    return undefined
  }
}

function below(runs: readonly RunRow[], id: string): readonly RunRow[] {
  return runs
    .filter(({ parentRunId }) => parentRunId === id)
    .flatMap((child) => [child, ...below(runs, child.id)])
}

async function cancelNow(client: Client, id: string): Promise<void> {
  const cancel = pending.get(id)
  if (!cancel || !(await cancel.stopped)) return
  try {
    const { status, agent } = await client.getRun({ id })
    if (!take(id)) return
    if (status === 'paused') await client.cancelRun({ id })
    else if (status !== 'cancelled')
      showToast({ text: `${agent} is not cancelled: somebody has continued it`, tone: 'plain' })
  } catch (error) {
    take(id)
    showError(error)
  }
}

/** The page is left, and with it Undo: what was asked for is done. */
function sendAll(): void {
  for (const [id, { client }] of pending) {
    take(id)
    client.cancelRun({ id }, { keepalive: true }).catch(leavePaused)
  }
}

function leavePaused(): void {}

function take(id: string): PendingCancel | undefined {
  const cancel = pending.get(id)
  clearTimeout(cancel?.timer)
  if (pending.delete(id)) notify()
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
