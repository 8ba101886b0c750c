import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { claimedChanges, mayBeSameFile } from '../../core/claims.ts'
import type { Branch } from '../../core/conversation.ts'
import type { BranchId } from '../../core/ids.ts'
import { changedFiles } from '../../core/receipt.ts'
import type { StoredRun, ToolCall } from '../../core/run.ts'
import type { Outcome, Report } from '../../loop/ports.ts'
import type { Reader } from '../../store/port.ts'
import type { Registry } from '../../tools/registry.ts'
import type { LiveRun } from '../run/live-run.ts'
import { readCalls } from '../run/receipts.ts'
import type { Deps } from '../context/deps.ts'
import type { Scope } from '../context/scope.ts'
import { isControlName, isTaskName } from '../task/task-input.ts'

type ClaimScope = Pick<Scope, 'workspace'> & { readonly deps: Pick<Deps, 'store' | 'tools'> }

/** Names in one remark. */
const MAX_NAMED = 5
/** Lag of file times behind the clock, milliseconds. */
const LAG_MS = 20

/**
 * Adds a remark to a report that claims file changes missing from the receipts: those of its branch's runs, of runs
 * below, and of inherited history. A command, or a tool without receipts, may have changed anything: then a file is
 * remarked on only if it exists unchanged since.
 */
export async function checkClaims(scope: ClaimScope, run: LiveRun, outcome: Outcome): Promise<Outcome> {
  const { text, summary = '', note } = outcome.report
  const claims = claimedChanges(`${text}\n${summary}`)
  if (claims.length === 0) return outcome
  const unheld = await unheldClaims(scope, run, claims)
  if (unheld.length === 0) return outcome
  const mark = markOf(unheld)
  const report: Report = { ...outcome.report, note: note ? `${note}; ${mark}` : mark }
  return { ...outcome, report }
}

function markOf(unheld: readonly string[]): string {
  const rest = unheld.length - MAX_NAMED
  const named = `${unheld.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  return `the receipts show no change to ${named}`
}

async function unheldClaims(
  { deps, workspace }: ClaimScope,
  run: LiveRun,
  claims: readonly string[],
): Promise<readonly string[]> {
  const runs = runsSeen(deps.store, run.row)
  const calls = readCalls(
    deps.store,
    runs.map(({ id }) => id),
  )
  const held = changedFiles(calls.flatMap(({ facts }) => facts ?? []))
  const unheld = claims.filter((claim) => !held.some(({ path }) => mayBeSameFile(claim, path)))
  const starts = new Set(runs.map(({ originCallId }) => originCallId)) // what they started is among these calls
  const others = calls.filter(({ id }) => !starts.has(id))
  if (unheld.length === 0 || !others.some((call) => isOpaque(call, deps.tools))) return unheld
  const since = Math.min(run.began, ...runs.map(({ startedAt }) => startedAt ?? run.began)) - LAG_MS
  const places = [run.row.setup?.directory ?? workspace.root, workspace.root]
  const untouched = await Promise.all(unheld.map((claim) => isUntouched(claim, places, since)))
  return unheld.filter((_, i) => untouched[i])
}

/** Every run whose work this branch may report. */
function runsSeen(reader: Reader, { conversationId, branchId }: StoredRun): StoredRun[] {
  const branches = reader.find('branches', { where: { conversationId } })
  const byId = new Map(branches.map((branch) => [branch.id, branch]))
  const seen = lineage(byId, branchId)
  const runs = reader.find('runs', { where: { conversationId }, orderBy: 'id' })
  const isSeen = (id: BranchId) => [...ancestors(byId, id)].some((each) => seen.has(each))
  return runs.filter((each) => isSeen(each.branchId))
}

/** The branch, and those whose messages precede its own. */
function lineage(branches: ReadonlyMap<BranchId, Branch>, branchId: BranchId): Set<BranchId> {
  const line = new Set<BranchId>()
  for (let id: BranchId | null = branchId; id !== null && !line.has(id);) {
    line.add(id)
    const branch: Branch | undefined = branches.get(id)
    id = branch?.inheritContext ? branch.parentBranchId : null
  }
  return line
}

function ancestors(branches: ReadonlyMap<BranchId, Branch>, branchId: BranchId): Set<BranchId> {
  const line = new Set<BranchId>()
  for (let id: BranchId | null = branchId; id !== null && !line.has(id);) {
    line.add(id)
    id = branches.get(id)?.parentBranchId ?? null
  }
  return line
}

/** Toolsets whose tools record every file that they change, or change none. */
const TOLD = new Set(['files', 'web', 'planning', 'agents'])

/** Whether a call may have changed files without a receipt. */
function isOpaque({ tool, status, error }: ToolCall, tools: Registry): boolean {
  if (status === 'denied' || status === 'skipped' || status === 'pending') return false
  if (status === 'unknown' || error?.code === 'interrupted') return true
  if (isTaskName(tool) || isControlName(tool) || error?.code === 'unknown_tool') return false
  const known = tools.get(tool)
  if (!known) return true
  return known.effects !== 'none' && known.effects !== 'spawn' && !TOLD.has(known.toolset)
}

/** Whether the file exists unchanged since; false if that is unknown. */
async function isUntouched(claim: string, places: readonly string[], since: number): Promise<boolean> {
  const times = await Promise.all(
    places.map((place) =>
      stat(resolve(place, claim)).then(
        ({ ctimeMs }) => ctimeMs,
        () => undefined,
      ),
    ),
  )
  const known = times.filter((time) => time !== undefined)
  return known.length > 0 && known.every((time) => time < since)
}
