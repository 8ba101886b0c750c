import type { ConversationId } from '../core/ids.ts'
import { exportConversation } from '../export/export-conversation.ts'
import { maskDocument } from '../export/mask-document.ts'
import type { ExportDocument } from '../export/document.ts'
import { documentText } from '../export/document-text.ts'
import { documentHtml, EXPORT_POLICY } from '../export/html.ts'
import { documentMarkdown } from '../export/markdown.ts'
import type { WriteOptions } from '../export/status-words.ts'
import type { ExportFormat } from '../protocol/route-schemas.ts'
import { isDriven } from './left-behind.ts'
import type { ServerContext } from './route-handler.ts'

/**
 * A conversation for programs (`json`, the default), or as a file for people. Browsers should save that file instead of
 * showing it at this server's address; if one shows it, the page's policy applies.
 */
export async function exportAnswer(
  { store, secrets, clock }: Pick<ServerContext, 'store' | 'secrets' | 'clock'>,
  id: ConversationId,
  format: ExportFormat = 'json',
): Promise<Response> {
  // in a transaction, so that no other process writes between its many queries
  const exact = await store.tx((tx) => exportConversation(tx, id), { durable: false })
  const document = maskDocument(exact, secrets)
  return WRITERS[format](document, id, { isDriven: isDriven({ store, clock }, id) })
}

type Writer = (document: ExportDocument, id: ConversationId, options: WriteOptions) => Response

const WRITERS: Readonly<Record<ExportFormat, Writer>> = {
  json: (document) =>
    new Response(documentText(document), { headers: { 'content-type': 'application/json' } }),
  md: (document, id, options) => file(documentMarkdown(document, options), 'text/markdown', `${id}.md`),
  html: (document, id, options) => file(documentHtml(document, options), 'text/html', `${id}.html`),
}

function file(content: string, type: string, name: string): Response {
  return new Response(content, {
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
      'content-security-policy': `${EXPORT_POLICY}; frame-ancestors 'none'; sandbox`,
    },
  })
}
