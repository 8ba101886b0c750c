/** All that the golden files take from the inside of the program: what moves there is changed here alone. */
export { createIds, type NewId } from '../../src/core/ids.ts'
export { openOffshoot, type TestOpening } from '../../src/library/offshoot.ts'
export { importConversation } from '../../src/export/import-conversation.ts'
export { parseExport } from '../../src/export/parse-export.ts'
export { openServer, type RunningServer } from '../../src/server/server.ts'
export { openApiDocument } from '../../src/server/openapi.ts'
export { installationToken } from '../../src/server/installation-token.ts'
export { endReason, runReason, runStatus } from '../../src/protocol/fields.ts'
