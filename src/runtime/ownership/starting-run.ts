import type { RunId } from '../../core/ids.ts'
import type { StoredRun } from '../../core/run.ts'
import { runOfCommand } from '../../exec/own-commands.ts'
import { listProcesses, type ProcessEntry } from '../../exec/process-table.ts'
import { isLimited, outermostOfRun } from '../../exec/run-marks.ts'
import type { Reader } from '../../store/port.ts'
import { hasExited, isHere, systemProcesses } from './process-identity.ts'

type Rows = Pick<Reader, 'get' | 'find'>

/** The tool whose commands get the limit. */
const COMMAND_TOOL = 'bash'

/**
 * The run whose command started a process, if that is certain. The environment does not prove it: a command can replace
 * itself with another program and any environment. The parent process does, because only the kernel changes it: it is
 * the program that drives the run. An orphaned process belongs to no certain run.
 */
export function startingRun(rows: Rows, pid: number): StoredRun | undefined {
  const command = outermostOfRun(pid)
  if (!command || !isLimited(command)) return undefined
  const runId = command.parentPid === process.pid ? runOfCommand(command.pid) : onlyRunOf(rows, command)
  return runId ? rows.get('runs', runId) : undefined
}

/**
 * For a run of another program, only the existence of a running command is known, not its process. So this needs
 * exactly one run with commands, and no more processes than commands: an extra process belongs to a finished call.
 */
function onlyRunOf(rows: Rows, { parentPid }: ProcessEntry): RunId | undefined {
  const calls = conversationsOf(rows, parentPid).flatMap((conversationId) =>
    rows.find('tool_calls', { where: { conversationId, status: 'running', tool: COMMAND_TOOL } }),
  )
  const processes = listProcesses().filter((each) => each.parentPid === parentPid && isLimited(each))
  const [runId, ...others] = new Set(calls.map((call) => call.runId))
  return others.length === 0 && processes.length <= calls.length ? runId : undefined
}

/** Runs that a process of this machine drives. */
function conversationsOf(rows: Rows, pid: number) {
  const processes = systemProcesses()
  return rows
    .find('leases', { where: { pid } })
    .filter((lease) => isHere(lease, processes) && !hasExited(lease, processes))
    .map(({ conversationId }) => conversationId)
}
