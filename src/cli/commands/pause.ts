import type { Command } from 'commander'
import { write, type Io } from '../io.ts'
import { conversationIdOf, performVerb } from '../remote/perform-verb.ts'

export function pauseCommand(program: Command, io: Io): void {
  program
    .command('pause')
    .description('pause a run when its turn is done; of a conversation, everything')
    .argument('<id>', 'of a run, branch or conversation')
    .action(async (target: string) => {
      const id = await conversationIdOf(io, target)
      const { runs, paused } = await performVerb(io, id, { verb: 'pause', target, args: null })
      const soon = runs - paused
      const later = soon > 0 ? `, ${soon} ${soon === 1 ? 'stops' : 'stop'} after this turn` : ''
      await write(io, `${target}: ${paused} paused${later}; offshoot continue ${target} goes on\n`)
    })
}
