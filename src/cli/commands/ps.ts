import type { Command } from 'commander'
import { elapsedMs } from '../../core/elapsed.ts'
import { isFinal, isStopped } from '../../core/run-status.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { dollars } from '../../runtime/budget/money-text.ts'
import { count } from '../../runtime/budget/token-count.ts'
import { listRuns, type RunListing } from '../../runtime/views/list-runs.ts'
import { readReceipts } from '../../runtime/run/receipts.ts'
import type { Reader, Store } from '../../store/port.ts'
import { costText, stateText } from '../terminal/branch-tree.ts'
import { writeApproval, writeStderr, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { openStore } from '../open-store.ts'
import { numberOf, shortId } from '../typed-id.ts'
import { bounds } from '../../core/limits.ts'
import {
  addListOptions,
  FILTERED_HINT,
  isFiltered,
  isFound,
  limited,
  type ListFlags,
} from '../terminal/list-options.ts'
import { noteEmpty } from '../terminal/note-empty.ts'
import { outputColumns } from '../terminal/hanging-lines.ts'
import { tableLines, type TableColumn } from '../terminal/table.ts'
import { livingOwners } from '../remote/living-owner.ts'
import { delegationText } from '../terminal/rule-text.ts'
import { statusText, verbText } from '../terminal/status-text.ts'

interface PsFlags extends ListFlags {
  readonly all?: true
  readonly json?: true
}

export function psCommand(program: Command, io: Io): void {
  addListOptions(program.command('ps'), 'agent, task, title or id')
    .description('list runs that have not ended, running ones first')
    .option('--all', 'list ended runs too')
    .option('--json', 'print one JSON array')
    .action(async ({ all, json, ...flags }: PsFlags) => {
      await using store = await openStore(io)
      const now = systemClock.now()
      const titleOf = (run: Owned) => taskTitle(store, run)
      const found = listOwned(store, all ?? flags.status !== undefined)
        .filter(({ status }) => flags.status === undefined || status === flags.status)
        .filter((run) => isFound(flags, [run.id, run.agent, run.task, titleOf(run)]))
      if (json) {
        const shown = await limited(found, { limit: found.length, ...flags }, io)
        const whole = shown.map((run) => ({ ...run, receipts: readReceipts(store, [run.id]) }))
        return await writeApproval(io, jsonLine(whole))
      }
      if (found.length === 0) return await noteNone(flags, all ?? false, io)
      const isAsked = all ?? (flags.status ?? flags.search) !== undefined
      const recent = isAsked ? found : await withoutOld(found, now, io)
      const rows = (await limited(recent, flags, io)).map((run) =>
        rowOf(
          { ...run, task: titleOf(run) },
          [...verbText(run.statusLine, store), ...asked(store, run)],
          now,
        ),
      )
      await writeApproval(io, io.stdout.isTTY ? terminalTable(store, rows, io) : table(rows.map(columns)))
    })
}

async function noteNone(flags: ListFlags, all: boolean, io: Io): Promise<void> {
  const start = 'offshoot "PROMPT" starts one'
  if (isFiltered(flags)) return await noteEmpty(io, 'no run matches', FILTERED_HINT)
  if (all) return await noteEmpty(io, 'no runs yet', start)
  await noteEmpty(io, 'no active or paused runs', `offshoot ps --all lists ended runs too; ${start}`)
}

/** A run with the process that drives it; null: none does, and nothing goes on by itself. */
type Owned = RunListing & {
  readonly owner: { readonly pid: number; readonly host: string; readonly since: number } | null
}

function listOwned(store: Store, all: boolean): Owned[] {
  const ownerOf = livingOwners(store)
  const runs = listRuns(store, { all, isDriven: (id) => ownerOf(id) !== undefined })
  return runs.map((run) => {
    const row = isStopped(run.status) ? undefined : ownerOf(run.conversationId)
    return { ...run, owner: row ? { pid: row.pid, host: row.host, since: row.takenAt } : null }
  })
}

/** The task of a main run is always `main`; the title of its conversation says more. */
function taskTitle(store: Reader, { depth, task, conversationId }: Owned): string {
  const isMain = depth === 0 && task === 'main'
  return (isMain && store.get('conversations', conversationId)?.title) || task
}

/** The numbers that people call its asks by, with the ids that a command takes; that of its verb stands there already. */
function asked(store: Store, { approvals, questions, statusLine }: RunListing): string[] {
  const rows = [
    ...approvals.map((id) => store.get('approvals', id)),
    ...questions.map((id) => store.get('questions', id)),
  ]
  return rows.flatMap((row) => {
    if (!row) return []
    return [row.id === statusLine.verb?.id ? `#${row.number}` : `#${row.number} ${row.id}`]
  })
}

/** What has been paused for long has been forgotten, or is kept for later: it is counted. */
async function withoutOld(runs: readonly Owned[], now: number, io: Io): Promise<readonly Owned[]> {
  const isOld = ({ status, endedAt }: Owned) =>
    status === 'paused' && endedAt !== null && now - endedAt > bounds.oldPauseMs
  const old = runs.filter(isOld).length
  const what = old === 1 ? '1 run has' : `${old} runs have`
  const days = bounds.oldPauseMs / 86_400_000
  if (old > 0)
    await writeStderr(
      io,
      `offshoot: ${what} been paused for more than ${days} days; offshoot ps --status paused lists all paused runs\n`,
    )
  return runs.filter((run) => !isOld(run))
}

interface PsRow {
  readonly cells: readonly string[]
  readonly facts: readonly string[]
}

/** For a program: the facts are the last column. */
function columns({ cells, facts }: PsRow): string[] {
  return [...cells, facts.join(' · ')]
}

const COLUMNS: readonly TableColumn[] = [
  { title: '#' },
  { title: 'ID' },
  { title: 'STATE', isFlexible: true },
  { title: 'AGENT', isFlexible: true },
  { title: 'TASK', isFlexible: true },
  { title: 'TURNS' },
  { title: 'TOOLS' },
  { title: 'TIME' },
]

function terminalTable(store: Store, rows: readonly PsRow[], { stdout }: Io): string {
  if (rows.length === 0) return '' // every run was paused long ago
  const short = rows.map(({ cells: [id, ...cells], facts }) => ({
    cells: [
      numberOf(store, store.get('runs', id!)?.branchId ?? ''),
      shortId(store, id!),
      ...cells.map((cell, at) => (at < 3 ? cell : cell.replace(/ (turns|tools?)$/, ''))), // the header says it
    ],
    facts,
  }))
  return tableLines(COLUMNS, short, outputColumns({ stdout }))
    .map((each) => `${each}\n`)
    .join('')
}

function rowOf(run: Owned, help: readonly string[], now: number): PsRow {
  const { id, agent, task, depth, background, turns, maxTurns, toolCalls, costUsd, queuedAt, endedAt } = run
  const seconds = elapsedMs({ queuedAt, endedAt: endedAt ?? now }) / 1000
  const cells = [
    id,
    stateText(run),
    terminalLine(agent),
    terminalLine(task),
    `${turns}/${maxTurns} turns`,
    toolsText(toolCalls),
    `${seconds.toFixed(1)}s`,
  ]
  return {
    cells,
    facts: [
      ...costText(costUsd),
      ...belowText(run),
      ...leftText(run),
      ...(depth > 0 && background ? ['background'] : []),
      ...delegationText(run.delegations),
      ...statusParts(run, help, now),
    ],
  }
}

function toolsText(toolCalls: number): string {
  return `${toolCalls} ${toolCalls === 1 ? 'tool' : 'tools'}`
}

/** The other figures are of the run alone. */
function belowText({ subtree: { runs, toolCalls, costUsd } }: Owned): string[] {
  if (runs === 1) return []
  return [[`with subagents: ${toolsText(toolCalls)}`, ...costText(costUsd)].join(', ')]
}

/** Where no price is known, the tokens are what is left; of a run that lacks budget both are told, whichever is out. */
function leftText(run: Owned): string[] {
  const { budgetLeftUsd, budgetLeftTokens, reservedUsd, spentUsd, status } = run
  if (isFinal(status)) return []
  const lacks = run.reason === 'budget' || run.waitingFor?.code === 'budget'
  const tokens = budgetLeftTokens === null ? [] : [`${count(budgetLeftTokens)} tokens left`]
  const reserved = reservedUsd > 0 ? `, ${dollars(reservedUsd)} reserved` : ''
  if (budgetLeftUsd !== null) return [`${dollars(budgetLeftUsd)} left${reserved}`, ...(lacks ? tokens : [])]
  if (spentUsd === null) return tokens.map((text) => `${text} (no price is known)`)
  return lacks ? tokens : []
}

/** Of what has ended only what is still to be done. */
function statusParts(run: Owned, help: readonly string[], now: number): string[] {
  const { statusLine: line } = run
  if (isFinal(run.status) && line.detail === null) return []
  return [statusText(line, run, now), ...help]
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
