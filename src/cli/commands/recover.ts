import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { errorMessage } from '../../core/errors.ts'
import type { Run } from '../../core/run.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { systemClock } from '../../exec/system-clock.ts'
import type { Mode } from '../../permissions/modes.ts'
import { compose, type Composed } from '../../runtime/compose.ts'
import { Ownership } from '../../runtime/ownership/ownership.ts'
import { abandonedDirectories, type Recovery } from '../../runtime/recover.ts'
import type { EndSignal } from '../early-signals.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { modeOption } from '../follow.ts'
import { say, write, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { unknownLines } from '../recovered.ts'

interface RecoverFlags {
  readonly pause?: true
  readonly dryRun?: true
  readonly mode?: Mode
}

export function recoverCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('recover')
    .description('take over what processes left that have ended, and drive it until it ends')
    .option('--pause', 'only pause it: offshoot continue goes on with each')
    .option('--dry-run', 'only show what there is')
    .addOption(modeOption())
    .action(async (flags: RecoverFlags) => setExitCode(await recoverAll(flags, io)))
}

/** One directory after the other: each has a configuration and agents of its own. */
async function recoverAll(flags: RecoverFlags, io: Io): Promise<number> {
  for (const directory of await leftDirectories(io)) {
    const signal = await recoverIn(directory, flags, io)
    if (signal) return exitCodes[signal]
  }
  return exitCodes.completed
}

async function leftDirectories(io: Io): Promise<string[]> {
  await using store = await openStore(io.env)
  const ownership = new Ownership({ store, clock: systemClock, owner: randomUUID() })
  return abandonedDirectories({ store, ownership })
}

/** Returns the signal that ended it before everything was done. */
async function recoverIn(directory: string, flags: RecoverFlags, io: Io): Promise<EndSignal | undefined> {
  const composed = await open(directory, flags, io)
  if (!composed) return undefined
  const { runtime, workspace, systemText, guard, store } = composed
  try {
    if (flags.dryRun) {
      for (const { row } of runtime.left.runs({ workspace, systemText }))
        await write(io.stdout, `${line(row)}\n`)
      return undefined
    }
    const leave = runtime.approvals.attend() // a question waits in the store: offshoot approve answers it
    const recovery = await runtime.recover({ workspace, systemText, ...(flags.pause && { policy: 'pause' }) })
    for (const unknown of recovery.runs.flatMap(unknownLines)) await say(io, `offshoot: ${unknown}\n`)
    const signal = await untilSettled(recovery, io)
    leave()
    for (const { run } of recovery.runs)
      await write(io.stdout, `${line(store.get('runs', run.row.id) ?? run.row)}\n`)
    await recovery.letGo()
    return signal
  } finally {
    await guard.close()
    await store.close()
  }
}

/** A directory that is gone, or whose configuration is wrong, must not keep the others waiting. */
async function open(directory: string, { mode }: RecoverFlags, io: Io): Promise<Composed | undefined> {
  try {
    return await compose({ directory, env: io.env, mode, network: io.network })
  } catch (error) {
    await say(
      io,
      `offshoot: left as it is, in ${terminalLine(directory)}: ${terminalLine(errorMessage(error))}\n`,
    )
    return undefined
  }
}

/** The first signal pauses what it drives, the second cancels it. */
async function untilSettled(recovery: Recovery, io: Io): Promise<EndSignal | undefined> {
  let first: EndSignal | undefined
  const end = io.onSignal((signal) => {
    recovery.stop(first ? 'cancel' : 'pause')
    first ??= signal
  })
  try {
    await recovery.settled
    return first
  } finally {
    end()
  }
}

function line({ id, agent, description, status, reason, attempt, error, waitingFor }: Run): string {
  const how = reason ? `${status} (${reason})` : status
  const why = error?.message ?? (waitingFor ? waitingFor.detail : undefined)
  const columns = [id, agent, description, how, `attempt ${attempt}`, ...(why ? [why] : [])]
  return columns.map((column) => terminalLine(column)).join('  ')
}
