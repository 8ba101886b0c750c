import type { Command } from 'commander'
import { OffshootError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import { readMessages } from '../../runtime/messages.ts'
import type { Reader } from '../../store/port.ts'
import { write, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { findSubject } from '../subject.ts'
import { transcriptLines } from '../transcript.ts'

export function logCommand(program: Command, io: Io): void {
  program
    .command('log')
    .description('print the transcript of a run or branch')
    .argument('<id>', 'of a run or branch; of a conversation: its main branch')
    .option('-f, --follow', 'go on while it runs')
    .action(async (id: string, { follow }: { follow?: true }) => {
      if (follow)
        throw new OffshootError('usage', 'following a run is not there yet', {
          hint: 'leave out -f; offshoot log prints what there is so far',
        })
      await using store = await openStore(io.env)
      const lines = transcriptLines(messagesOf(store, id))
      await write(io.stdout, lines.map((line) => `${line}\n`).join(''))
    })
}

function messagesOf(store: Reader, id: string): readonly Message[] {
  const subject = findSubject(store, id)
  if (subject.type === 'branch') return readMessages(store, subject.branch.id)
  if (subject.type === 'run') return messagesOfRun(readMessages(store, subject.branch.id), subject.run.id)
  const where = { conversationId: subject.conversation.id, kind: 'main' } as const
  const main = store.find('branches', { where, limit: 1 })[0]
  return main ? readMessages(store, main.id) : []
}

/** What the run wrote, and what a person wrote to it: right before, and in between. */
function messagesOfRun(messages: readonly Message[], runId: string): readonly Message[] {
  const first = messages.findIndex((message) => message.runId === runId)
  const last = messages.findLastIndex((message) => message.runId === runId)
  if (first === -1) return []
  let start = first
  while (start > 0 && messages[start - 1]!.runId === null) start--
  return messages.slice(start, last + 1)
}
