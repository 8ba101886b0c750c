import { Option, type Command } from 'commander'
import { OffshootError } from '../../core/errors.ts'
import { documentText } from '../../runtime/export/document-text.ts'
import { exportConversation } from '../../runtime/export/export-conversation.ts'
import { documentMarkdown } from '../../runtime/export/markdown.ts'
import { write, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { findConversation } from '../../runtime/subject.ts'

const FORMATS = ['json', 'md', 'html'] as const
type Format = (typeof FORMATS)[number]

export function exportCommand(program: Command, io: Io): void {
  program
    .command('export')
    .description('write a conversation to stdout: as a document that import takes, or for people')
    .argument('<conversation>')
    .addOption(new Option('--format <format>').choices(FORMATS).default('json'))
    .action(async (id: string, { format }: { format: Format }) => {
      if (format === 'html')
        throw new OffshootError('usage', 'export as HTML is not there yet', {
          hint: '--format md is for people, --format json for programs',
        })
      await using store = await openStore(io.env)
      const { id: conversationId } = findConversation(store, id)
      // in a transaction another process cannot write between two of the many queries
      const document = await store.tx((tx) => exportConversation(tx, conversationId), { durable: false })
      await write(io.stdout, format === 'md' ? documentMarkdown(document) : `${documentText(document)}\n`)
    })
}
