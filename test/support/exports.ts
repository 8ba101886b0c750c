/** For tests of a feature that survives an export and an import. */
export { documentText } from '../../src/export/document-text.ts'
export { exportConversation } from '../../src/export/export-conversation.ts'
export { importConversation } from '../../src/export/import-conversation.ts'
export { parseExport } from '../../src/export/parse-export.ts'
