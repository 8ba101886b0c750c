import type { Command } from 'commander'
import { OffshootError } from '../../core/errors.ts'
import { write, type Io } from '../io.ts'
import { performVerb, verbTarget } from '../remote/perform-verb.ts'

export function steerCommand(program: Command, io: Io): void {
  program
    .command('steer')
    .description('send a message to a run, which reads it at its next turn')
    .argument('<id>', 'id of a run, branch or conversation')
    .argument('<text>', 'the message')
    .action(async (typed: string, text: string) => {
      if (text.trim() === '')
        throw new OffshootError('usage', 'the message is empty', { hint: 'offshoot steer ID "text"' })
      const { id, target } = await verbTarget(io, typed)
      const { itemId, runId, waits } = await performVerb(io, id, { verb: 'steer', target, args: { text } })
      const when = waits ? 'once it is resumed: offshoot recover' : 'at its next turn'
      await write(io, `${itemId}: ${runId} reads it ${when}\n`)
    })
}
