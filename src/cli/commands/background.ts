import type { Command } from 'commander'
import { write, type Io } from '../io.ts'
import { conversationIdOf, performVerb } from '../remote/perform-verb.ts'

export function backgroundCommand(program: Command, io: Io): void {
  program
    .command('background')
    .description('let a parent go on without waiting; the report comes later')
    .argument('<id>', 'of a run or branch')
    .action(async (target: string) => {
      const id = await conversationIdOf(io, target)
      const { runId, status } = await performVerb(io, id, { verb: 'background', target, args: null })
      await write(io, `${runId}: ${status} in the background\n`)
    })
}
