import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Command } from 'commander'
import { errorMessage, OffshootError } from '../../core/errors.ts'
import { bestEffort } from '../../core/rejections.ts'
import type { StoredRun } from '../../core/run.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { systemClock } from '../../exec/system-clock.ts'
import type { SandboxSetting } from '../../config/sandbox-setting.ts'
import type { Mode } from '../../permissions/modes.ts'
import type { Composed } from '../../runtime/host/compose.ts'
import { composeWatched } from '../terminal/compose-watched.ts'
import { dataHome } from '../../config/homes.ts'
import { Ownership } from '../../runtime/ownership/leases.ts'
import { abandonedDirectories, type Recovery } from '../../runtime/control/recover.ts'
import { trustWarnings } from '../../project/project.ts'
import { stopOfNextSignal, stopOfSignal, type EndSignal } from '../early-signals.ts'
import { lookAtStore } from '../../store/sqlite/read-only-store.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { modeOption } from '../terminal/follow-run.ts'
import { writeStderr, write, type Io } from '../io.ts'
import { abandonedRuns } from '../remote/abandoned-runs.ts'
import { openStore } from '../open-store.ts'
import { sandboxOption } from '../sandbox-option.ts'
import { refuseUnused } from '../unused-options.ts'
import { noteEmpty } from '../terminal/note-empty.ts'
import { recoveredText, resumedUnknownLines, watchUnknown } from '../terminal/recovered-text.ts'

interface RecoverFlags {
  readonly pause?: true
  readonly dryRun?: true
  readonly mode?: Mode
  readonly sandbox?: SandboxSetting
}

export function recoverCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('recover')
    .description('resume conversations whose process has died')
    .option('--pause', 'only pause their runs; offshoot continue resumes each')
    .option('--dry-run', 'only list them')
    .addOption(modeOption())
    .addOption(sandboxOption())
    .action(async (flags: RecoverFlags, command: Command) => {
      if (flags.dryRun) refuseUnused(command, NOTHING_RECOVERED)
      setExitCode(await recoverAll(flags, io))
    })
}

const NOTHING_RECOVERED = {
  why: 'with --dry-run nothing is recovered',
  hint: 'leave it out, or leave out --dry-run',
  which: ['--pause', '--mode', '--sandbox'],
}

/** One directory after the other: each has a configuration and agents of its own. */
async function recoverAll(flags: RecoverFlags, io: Io): Promise<number> {
  if (flags.dryRun) return await showLeft(io)
  const directories = await leftDirectories(io)
  if (directories.length === 0) await noteNone(io)
  for (const directory of directories) {
    const signal = await recoverIn(directory, flags, io)
    if (signal) return exitCodes[signal]
  }
  return exitCodes.completed
}

/** The store is only looked at: what a program that died left beside it stays for whoever recovers it. */
async function showLeft(io: Io): Promise<number> {
  const look = lookAtStore(join(dataHome(io.env), 'offshoot.db'))
  try {
    if (look && !look.reader)
      throw new OffshootError('conflict', 'the store is of an older version', OUTDATED)
    look?.check() // of a damaged store nothing would be listed, as if there were nothing
    const runs = look?.reader ? abandonedRuns(look.reader) : []
    if (runs.length === 0) await noteNone(io)
    for (const run of runs) await write(io, `${line(run)}\n`)
    return exitCodes.completed
  } finally {
    await look?.close()
  }
}

const OUTDATED = { hint: 'offshoot ls upgrades it; then try again.' }

function noteNone(io: Io): Promise<void> {
  return noteEmpty(io, 'no runs to recover', 'offshoot ps lists active and paused runs')
}

async function leftDirectories(io: Io): Promise<string[]> {
  await using store = await openStore(io)
  const ownership = new Ownership({ store, clock: systemClock, owner: randomUUID() })
  return abandonedDirectories({ store, ownership })
}

/** Returns the signal that ended it before everything was done. */
async function recoverIn(directory: string, flags: RecoverFlags, io: Io): Promise<EndSignal | undefined> {
  const composed = await open(directory, flags, io)
  if (!composed) return undefined
  const { runtime, workspace, systemText, guard, store } = composed
  try {
    for (const each of trustWarnings(composed.trust))
      await writeStderr(io, `offshoot: ${terminalLine(each)}\n`)
    const leave = runtime.approvals.attend() // a question waits in the store: offshoot approve answers it
    const recovery = await runtime.recover({ workspace, systemText, ...(flags.pause && { policy: 'pause' }) })
    if (recovery.runs.length > 0) await writeStderr(io, `offshoot: ${recoveredText(recovery.runs)}\n`)
    for (const unknown of resumedUnknownLines(recovery.runs)) await writeStderr(io, `offshoot: ${unknown}\n`)
    const printUnknown = recovery.conversations.map((taken) =>
      watchUnknown(composed, taken, recovery.runs, io),
    )
    let signal: EndSignal | undefined
    try {
      signal = await untilSettled(recovery, io)
    } finally {
      for (const print of printUnknown) await bestEffort(print()) // after an error too, which it must not replace
    }
    leave()
    for (const { run } of recovery.runs)
      await write(io, `${line(store.get('runs', run.row.id) ?? run.row)}\n`)
    await recovery.release()
    return signal
  } finally {
    await guard.close()
    await store.close()
  }
}

/** A directory that is gone, or whose configuration is wrong, must not keep the others waiting. */
async function open(directory: string, flags: RecoverFlags, io: Io): Promise<Composed | undefined> {
  try {
    return await composeWatched(directory, flags, io)
  } catch (error) {
    await writeStderr(
      io,
      `offshoot: not resumed, in ${terminalLine(directory)}: ${terminalLine(errorMessage(error))}\n`,
    )
    return undefined
  }
}

/** The first signal pauses what it drives, the second cancels it. */
async function untilSettled(recovery: Recovery, io: Io): Promise<EndSignal | undefined> {
  let first: EndSignal | undefined
  let stopped: Promise<void> | undefined
  const end = io.onSignal((signal) => {
    stopped = recovery.stop(first ? stopOfNextSignal(signal) : stopOfSignal(signal))
    first ??= signal
  })
  try {
    await recovery.settled
    await stopped // what waited for a person settles before it has stopped
    return first
  } finally {
    end()
  }
}

function line({ id, agent, description, status, reason, attempt, error, waitingFor }: StoredRun): string {
  const how = reason ? `${status} (${reason})` : status
  const why = error?.message ?? (waitingFor ? waitingFor.detail : undefined)
  const columns = [id, agent, description, how, `attempt ${attempt}`, ...(why ? [why] : [])]
  return columns.map((column) => terminalLine(column)).join('  ')
}
