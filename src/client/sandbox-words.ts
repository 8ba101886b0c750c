import { shared } from '../protocol/shared.ts'

/** What confines commands, in words. */
export const { commandSandboxWords, sandboxLabel } = shared
