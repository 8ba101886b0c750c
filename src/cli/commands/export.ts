import { Option, type Command } from 'commander'
import { documentText } from '../../export/document-text.ts'
import type { ExportDocument } from '../../export/document.ts'
import { exportConversation } from '../../export/export-conversation.ts'
import { documentHtml } from '../../export/html.ts'
import { maskDocument } from '../../export/mask-document.ts'
import { documentMarkdown } from '../../export/markdown.ts'
import type { WriteOptions } from '../../export/status-words.ts'
import { secretMask } from '../../config/known-secrets.ts'
import { write, writeRaw, type Io } from '../io.ts'
import { addRawOption } from '../terminal/output-flags.ts'
import { openStore } from '../open-store.ts'
import { idOf } from '../typed-id.ts'
import { livingOwners } from '../remote/living-owner.ts'
import { requireConversation } from '../unknown-id.ts'

const FORMATS = ['json', 'md', 'html'] as const
type Format = (typeof FORMATS)[number]

const WRITERS: Readonly<Record<Format, (document: ExportDocument, options: WriteOptions) => string>> = {
  json: (document) => `${documentText(document)}\n`,
  md: documentMarkdown,
  html: documentHtml,
}

interface ExportFlags {
  readonly format: Format
  readonly rawOutput?: true
}

export function exportCommand(program: Command, io: Io): void {
  addRawOption(program.command('export'), io, 'the conversation')
    .description('print a conversation as JSON (for import), Markdown or HTML')
    .argument('<conversation>')
    .addOption(
      new Option('--format <format>', 'json can be imported; md and html are for people')
        .choices(FORMATS)
        .default('json'),
    )
    .action(async (id: string, { format, rawOutput }: ExportFlags) => {
      await using store = await openStore(io)
      const { id: conversationId } = requireConversation(store, idOf(store, id, io, ['cnv']))
      // in a transaction another process cannot write between two of the many queries
      const document = await store.tx((tx) => exportConversation(tx, conversationId), { durable: false })
      const options = { isDriven: livingOwners(store)(conversationId) !== undefined }
      if (rawOutput) await writeRaw(io, WRITERS[format](document, options))
      else await write(io, WRITERS[format](maskDocument(document, secretMask(io.env)), options))
    })
}
