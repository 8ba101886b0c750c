import type { Command } from 'commander'
import { randomUUID } from 'node:crypto'
import { isFinal, isStopped } from '../../core/run-status.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { dollars } from '../../runtime/budget/money-text.ts'
import { count } from '../../runtime/budget/token-count.ts'
import { listRuns, type RunListing } from '../../runtime/views/list-runs.ts'
import { Ownership } from '../../runtime/ownership/leases.ts'
import { readReceipts } from '../../runtime/run/receipts.ts'
import type { Store } from '../../store/port.ts'
import { costText, stateText } from '../terminal/branch-tree.ts'
import { write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { openStore } from '../open-store.ts'
import { delegationText } from '../terminal/rule-text.ts'

interface PsFlags {
  readonly all?: true
  readonly json?: true
}

export function psCommand(program: Command, io: Io): void {
  program
    .command('ps')
    .description('the runs that have not ended, running ones first')
    .option('--all', 'those that have ended too')
    .option('--json', 'one JSON array')
    .action(async ({ all, json }: PsFlags) => {
      await using store = await openStore(io)
      const runs = withOwners(store, listRuns(store, { all: all ?? false }))
      const now = systemClock.now()
      if (json) {
        const whole = runs.map((run) => ({ ...run, receipts: readReceipts(store, [run.id]) }))
        return await write(io, jsonLine(whole))
      }
      await write(io, table(runs.map((run) => columns(run, asked(store, run), now))))
    })
}

/** A run with the process that drives it; null: none does, and nothing goes on by itself. */
type Owned = RunListing & {
  readonly owner: { readonly pid: number; readonly host: string; readonly since: number } | null
}

function withOwners(store: Store, runs: readonly RunListing[]): Owned[] {
  const ownership = new Ownership({ store, clock: systemClock, owner: randomUUID() })
  const ids = new Set(runs.map((run) => run.conversationId))
  const owners = new Map([...ids].map((id) => [id, ownership.livingOwner(id)]))
  return runs.map((run) => {
    const row = isStopped(run.status) ? undefined : owners.get(run.conversationId)
    return { ...run, owner: row ? { pid: row.pid, host: row.host, since: row.takenAt } : null }
  })
}

/** What it asks: the number that people call it by, and the id that a command takes. */
function asked(store: Store, { approvals, questions }: RunListing): string[] {
  const rows = [
    ...approvals.map((id) => store.get('approvals', id)),
    ...questions.map((id) => store.get('questions', id)),
  ]
  return rows.flatMap((row) => (row ? [`#${row.number} ${row.id}`] : []))
}

function columns(run: Owned, asks: readonly string[], now: number): string[] {
  const { id, agent, task, depth, background, turns, maxTurns, subtree, queuedAt, endedAt } = run
  const seconds = ((endedAt ?? now) - queuedAt) / 1000
  return [
    id,
    status(run),
    terminalLine(agent),
    terminalLine(task),
    `${turns}/${maxTurns} turns`,
    `${subtree.toolCalls} ${subtree.toolCalls === 1 ? 'tool' : 'tools'}`,
    `${seconds.toFixed(1)}s`,
    [
      ...costText(subtree.costUsd),
      ...leftText(run),
      ...(depth > 0 && background ? ['background'] : []),
      ...delegationText(run.delegations),
      ...doing(run, asks),
    ].join(' · '),
  ]
}

/** Where no price is known, the tokens are what is left. */
function leftText({ budgetLeftUsd, budgetLeftTokens, reservedUsd, spentUsd, status }: Owned): string[] {
  if (isFinal(status)) return []
  const reserved = reservedUsd > 0 ? `, ${dollars(reservedUsd)} reserved` : ''
  if (budgetLeftUsd !== null) return [`${dollars(budgetLeftUsd)} left${reserved}`]
  return spentUsd === null && budgetLeftTokens !== null ? [`${count(budgetLeftTokens)} tokens left`] : []
}

/** `queued (2)`: the second in line. A run that is not stopped and that nobody drives says so. */
function status(run: Owned): string {
  const text = run.queuePosition === null ? stateText(run) : `queued (${run.queuePosition})`
  const soon = run.pausing && !isStopped(run.status) ? `${text}, to pause` : text
  return run.owner || isStopped(run.status) ? soon : `${soon}, left behind`
}

function doing({ waitingFor, lastAction, owner, status }: Owned, asks: readonly string[]): string[] {
  if (isStopped(status)) return []
  if (asks.length > 0) return [`asks: ${terminalLine(waitingFor?.detail ?? '')} (${asks.join(', ')})`]
  if (!owner) return ['offshoot recover takes it over']
  if (waitingFor) return [`waits for ${waitingFor.what}: ${terminalLine(waitingFor.detail)}`]
  return lastAction ? [terminalLine(lastAction.title)] : []
}

const MAX_WIDTH = 40

function table(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cut(cell))))
  const widths = (shown[0] ?? []).map((_, i) => Math.max(...shown.map((row) => [...row[i]!].length)))
  return shown
    .map(
      (row) =>
        `${row
          .map((cell, i) => pad(cell, widths[i]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function cut(text: string): string {
  const chars = [...text]
  return chars.length > MAX_WIDTH ? `${chars.slice(0, MAX_WIDTH - 1).join('')}…` : text
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - [...text].length)
}
