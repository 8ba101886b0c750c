import type { BranchId, RunId } from '../../core/ids.ts'
import { exitCodes } from '../exit-codes.ts'
import { write, type Io } from '../io.ts'

interface Elsewhere {
  readonly branchId: BranchId
  readonly runId?: RunId
}

/** Another process drives the conversation, and this run with it. */
export async function printElsewhere(
  { branchId, runId }: Elsewhere,
  io: Io,
  what = `${runId} goes on`,
): Promise<number> {
  await write(io, `${what}; offshoot log -f ${branchId} shows it\n`)
  return exitCodes.completed
}
