import type { Command } from 'commander'
import { OffshootError } from '../../core/errors.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { CancelVerbAnswer } from '../../runtime/control/cancel.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { writeStderr, write, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { exactIdOf } from '../typed-id.ts'
import { ACTED_ON, performVerb, verbTarget } from '../remote/perform-verb.ts'

export function cancelCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('cancel')
    .description('cancel runs and their subagents')
    .argument('<id...>', 'ids of runs, branches or conversations')
    .action(async (typed: readonly string[]) => {
      const ids = await wholeIds(typed, io)
      for (const id of ids) if (!(await cancelOne(id, io))) setExitCode(exitCodes.usage)
    })
}

/** All of them before the first is cancelled: an ambiguous one cancels nothing. @throws OffshootError `usage` */
async function wholeIds(typed: readonly string[], io: Io): Promise<string[]> {
  await using store = await openStore(io)
  return typed.map((each) => exactIdOf(store, each, io, ACTED_ON))
}

/** False: there is nothing with this id. */
async function cancelOne(id: string, io: Io): Promise<boolean> {
  try {
    const { id: conversationId, target } = await verbTarget(io, id, 'exact')
    const answer = await performVerb(io, conversationId, { verb: 'cancel', target, args: null })
    await write(io, line(id, answer))
    if (answer.left.length > 0)
      await writeStderr(io, `offshoot: could not end these processes: ${answer.left.join(', ')}\n`)
    return true
  } catch (error) {
    if (!(error instanceof OffshootError) || (error.code !== 'not_found' && error.code !== 'usage'))
      throw error
    await write(io, `not_found: ${terminalLine(JSON.stringify(id.slice(0, 100)))}\n`)
    const hint = error.hint ?? 'offshoot ps --all lists the runs'
    await writeStderr(io, `offshoot: ${terminalLine(error.message)}\n  ${terminalLine(hint)}\n`)
    return false
  }
}

function line(id: string, { outcome, status, runs }: CancelVerbAnswer): string {
  if (outcome === 'already_finished') return `already_finished: ${id} is ${status ?? 'without a run'}\n`
  return `cancelled: ${id}${runs > 1 ? `, ${runs} runs` : ''}\n`
}
