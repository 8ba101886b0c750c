import type { Command } from 'commander'
import { writeStderr, write, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { exactIdOf } from '../typed-id.ts'
import { performVerb } from '../remote/perform-verb.ts'
import { requireConversation } from '../unknown-id.ts'

export function closeCommand(program: Command, io: Io): void {
  program
    .command('close')
    .description('cancel every run of a conversation, and keep its messages')
    .argument('<conversation>')
    .action(async (given: string) => {
      const id = await conversationOf(given, io)
      const { runs, left } = await performVerb(io, id, { verb: 'cancel', target: id, args: null })
      await write(io, `closed: ${id}, ${runs} ${runs === 1 ? 'run' : 'runs'} cancelled\n`)
      if (left.length > 0)
        await writeStderr(io, `offshoot: could not end these processes: ${left.join(', ')}\n`)
    })
}

async function conversationOf(given: string, io: Io) {
  await using store = await openStore(io)
  return requireConversation(store, exactIdOf(store, given, io, ['cnv'])).id
}
