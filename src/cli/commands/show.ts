import type { Command } from 'commander'
import type { Branch } from '../../core/conversation.ts'
import { OffshootError } from '../../core/errors.ts'
import { isId } from '../../core/ids.ts'
import type { Message, Part } from '../../core/message.ts'
import { terminalLine, terminalText } from '../../core/terminal-text.ts'
import { readMessages } from '../../runtime/messages.ts'
import type { Store } from '../../store/port.ts'
import { write, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'

export function showCommand(program: Command, io: Io): void {
  program
    .command('show')
    .description('show a conversation: its branches and what was said on each')
    .argument('<conversation>')
    .option('--json', 'one JSON object')
    .action(async (id: string, { json }: { json?: true }) => {
      await using store = await openStore(io.env)
      const conversation = isId('cnv', id) ? store.get('conversations', id) : undefined
      if (!conversation)
        throw new OffshootError('usage', `there is no conversation ${id}`, { hint: 'offshoot ls lists them' })
      const branches = store.find('branches', { where: { conversationId: conversation.id }, orderBy: 'id' })
      const runs = store.find('runs', { where: { conversationId: conversation.id }, orderBy: 'id' })
      if (json) {
        const withMessages = branches.map((branch) => ({
          ...branch,
          messages: readMessages(store, branch.id),
        }))
        return await write(
          io.stdout,
          `${JSON.stringify({ ...conversation, branches: withMessages, runs })}\n`,
        )
      }
      const text = branches.map((branch) => branchText(store, branch)).join('\n')
      await write(
        io.stdout,
        `${terminalLine(conversation.title)}\n${terminalLine(conversation.directory)}\n\n${text}`,
      )
    })
}

function branchText(store: Store, branch: Branch): string {
  const run = store.find('runs', {
    where: { branchId: branch.id },
    orderBy: 'id',
    descending: true,
    limit: 1,
  })[0]
  const state = run
    ? ` · ${run.status}${run.reason ? ` (${run.reason})` : ''} · ${run.turns}/${run.limits.maxTurns} turns`
    : ''
  const messages = readMessages(store, branch.id).filter((message) => message.role !== 'system')
  const head = `── ${branch.kind} ${terminalLine(branch.agent)} · ${terminalLine(branch.label)} · ${branch.id}${state}`
  return `${head}\n${messages.flatMap(messageLines).join('\n')}\n`
}

function messageLines(message: Message): string[] {
  return message.parts.map((part) => partText(message, part)).filter((text) => text !== '')
}

function partText({ role }: Message, part: Part): string {
  switch (part.type) {
    case 'text':
      return `${role}: ${terminalText(part.text)}`
    case 'tool-call':
      return `  → ${part.tool} ${terminalLine(JSON.stringify(part.input)).slice(0, 160)}`
    case 'tool-result':
      return `  ← ${part.tool} ${part.status}, ${part.output.text.split('\n').length} lines`
    default:
      return ''
  }
}
