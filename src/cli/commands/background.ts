import type { Command } from 'commander'
import { write, type Io } from '../io.ts'
import { performVerb, verbTarget } from '../remote/perform-verb.ts'

export function backgroundCommand(program: Command, io: Io): void {
  program
    .command('background')
    .description('move a subagent to the background, so that its parent need not wait')
    .argument('<id>', 'id of a run or branch')
    .action(async (typed: string) => {
      const { id, target } = await verbTarget(io, typed)
      const { runId, status } = await performVerb(io, id, { verb: 'background', target, args: null })
      await write(io, `${runId}: ${status} in the background\n`)
    })
}
