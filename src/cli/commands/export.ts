import { Option, type Command } from 'commander'
import { documentText } from '../../runtime/export/document-text.ts'
import type { ExportDocument } from '../../runtime/export/document.ts'
import { exportConversation } from '../../runtime/export/export-conversation.ts'
import { documentHtml } from '../../runtime/export/html.ts'
import { documentMarkdown } from '../../runtime/export/markdown.ts'
import { write, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { findConversation } from '../../runtime/subject.ts'

const FORMATS = ['json', 'md', 'html'] as const
type Format = (typeof FORMATS)[number]

const WRITERS: Readonly<Record<Format, (document: ExportDocument) => string>> = {
  json: (document) => `${documentText(document)}\n`,
  md: documentMarkdown,
  html: documentHtml,
}

export function exportCommand(program: Command, io: Io): void {
  program
    .command('export')
    .description(
      'write a conversation to stdout: as a document that import takes, or for people as Markdown or one page',
    )
    .argument('<conversation>')
    .addOption(new Option('--format <format>').choices(FORMATS).default('json'))
    .action(async (id: string, { format }: { format: Format }) => {
      await using store = await openStore(io)
      const { id: conversationId } = findConversation(store, id)
      // in a transaction another process cannot write between two of the many queries
      const document = await store.tx((tx) => exportConversation(tx, conversationId), { durable: false })
      await write(io.stdout, WRITERS[format](document))
    })
}
