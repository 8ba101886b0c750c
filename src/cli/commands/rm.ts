import type { Command } from 'commander'
import type { Conversation } from '../../core/conversation.ts'
import { OffshootError } from '../../core/errors.ts'
import { isStopped } from '../../core/run-status.ts'
import type { Reader } from '../../store/port.ts'
import type { Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { findConversation } from '../../runtime/views/resolve-id.ts'

export function rmCommand(program: Command, io: Io): void {
  program
    .command('rm')
    .description('delete a conversation with everything in it')
    .argument('<conversation>')
    .option('--force', 'even if runs of it have not stopped')
    .action(async (id: string, { force }: { force?: true }) => {
      await using store = await openStore(io)
      await store.tx(
        (tx) => {
          const conversation = findConversation(tx, id)
          if (!force) checkStopped(tx, conversation)
          tx.delete('conversations', conversation.id)
        },
        { durable: true },
      )
    })
}

/** Read in the transaction that deletes: a run cannot begin in between. */
function checkStopped(store: Reader, { id }: Conversation): void {
  const runs = store.find('runs', { where: { conversationId: id } }).filter((run) => !isStopped(run.status))
  if (runs.length === 0) return
  const [first] = runs
  const others = runs.length > 1 ? ` and ${runs.length - 1} more` : ''
  throw new OffshootError('conflict', `${id} has not stopped: ${first!.id} is ${first!.status}${others}`, {
    hint: 'end it first, or delete it all the same with --force',
  })
}
