import type { Command } from 'commander'
import { write, type Io } from '../io.ts'
import { performVerb, verbTarget } from '../remote/perform-verb.ts'

export function pauseCommand(program: Command, io: Io): void {
  program
    .command('pause')
    .description('pause a run after its turn; for a conversation: every run')
    .argument('<id>', 'id of a run, branch or conversation')
    .action(async (typed: string) => {
      const { id, target } = await verbTarget(io, typed)
      const { runs, paused } = await performVerb(io, id, { verb: 'pause', target, args: null })
      const soon = runs - paused
      const later = soon > 0 ? `, ${soon} ${soon === 1 ? 'stops' : 'stop'} after this turn` : ''
      await write(io, `${target}: ${paused} paused${later}; offshoot continue ${target} resumes it\n`)
    })
}
