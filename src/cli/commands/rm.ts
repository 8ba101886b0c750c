import type { Command } from 'commander'
import type { Conversation } from '../../core/conversation.ts'
import { OffshootError } from '../../core/errors.ts'
import { isStopped } from '../../core/run-status.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { Reader } from '../../store/port.ts'
import { write, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { exactIdOf } from '../typed-id.ts'
import { confirmDeletion } from '../terminal/ask-yes.ts'
import { requireConversation } from '../unknown-id.ts'

interface RmFlags {
  readonly force?: true
  readonly yes?: true
}

export function rmCommand(program: Command, io: Io): void {
  program
    .command('rm')
    .description('delete a conversation and everything in it')
    .argument('<conversation>', 'its id, or a unique prefix')
    .option('--force', 'delete it even if runs have not stopped')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .action(async (typed: string, { force, yes }: RmFlags) => {
      await using store = await openStore(io)
      const { id } = requireConversation(store, exactIdOf(store, typed, io, ['cnv']))
      const check = (reader: Reader): Conversation => {
        const conversation = requireConversation(reader, id)
        if (!force) checkStopped(reader, conversation)
        return conversation
      }
      const what = contentsOf(store, check(store))
      const hint = `offshoot rm ${id}${force ? ' --force' : ''} --yes`
      if (!yes && !(await confirmDeletion({ what, command: 'rm', hint }, io))) return
      await store.tx((tx) => void tx.delete('conversations', check(tx).id), { durable: true })
      await write(io, `deleted: ${what}\n`)
    })
}

function contentsOf(store: Reader, { id: conversationId, title }: Conversation): string {
  const where = { conversationId }
  const said = store.count('messages', where) - store.count('messages', { ...where, role: 'system' })
  const parts = [
    counted(store.count('branches', where), 'branch', 'branches'),
    counted(said, 'message', 'messages'),
    counted(store.count('runs', where), 'run', 'runs'),
  ]
  return `${conversationId} (${terminalLine(title)}): ${parts.join(', ')}`
}

function counted(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`
}

/** Read in the transaction that deletes: a run cannot begin in between. */
function checkStopped(store: Reader, { id }: Conversation): void {
  const runs = store.find('runs', { where: { conversationId: id } }).filter((run) => !isStopped(run.status))
  if (runs.length === 0) return
  const [first] = runs
  const others = runs.length > 1 ? ` and ${runs.length - 1} more` : ''
  throw new OffshootError('conflict', `${id} has not stopped: ${first!.id} is ${first!.status}${others}`, {
    hint: `offshoot close ${id} ends it first; --force deletes it anyway`,
  })
}
