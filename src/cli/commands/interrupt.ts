import type { Command } from 'commander'
import { stateText } from '../terminal/branch-tree.ts'
import { write, type Io } from '../io.ts'
import { performVerb, verbTarget } from '../remote/perform-verb.ts'

export function interruptCommand(program: Command, io: Io): void {
  program
    .command('interrupt')
    .description('stop the current turn of a run and pause it; background subagents keep running')
    .argument('<id>', 'id of a run, branch or conversation')
    .action(async (typed: string) => {
      const { id, target } = await verbTarget(io, typed)
      const answer = await performVerb(io, id, { verb: 'interrupt', target, args: null })
      const next = answer.status === 'paused' ? `; offshoot continue ${answer.branchId} resumes it` : ''
      await write(io, `${answer.runId}: ${stateText(answer)}${next}\n`)
    })
}
