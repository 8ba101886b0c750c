import { MASK_CHAR } from '../core/secrets/mask.ts'
import { ToolError } from './port.ts'

/**
 * As long as the shortest key that is masked in tool results; a shorter run of the character is a placeholder in a
 * form.
 */
const MASK = Buffer.from(MASK_CHAR.repeat(16))

/**
 * Secrets are masked when a file is read, so writing the masked text back would destroy them. @throws ToolError for
 * text with a mask that the file does not contain.
 */
export function checkUnmasked(bytes: Buffer, before: Buffer | undefined): void {
  if (!bytes.includes(MASK) || before?.includes(MASK)) return
  throw new ToolError(
    'masked',
    `the text has ${MASK_CHAR.repeat(3)}… where a secret was masked when it was read; nothing was written`,
    'Change the file with edit, around the secret, or use the name of a variable instead.',
  )
}
