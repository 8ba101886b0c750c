import { MASK_CHAR } from '../core/secrets/mask.ts'
import { ToolError } from './port.ts'

/** As long as the shortest key that is masked in what a tool has read; a shorter run is a placeholder of a form. */
const MASK = Buffer.from(MASK_CHAR.repeat(16))

/**
 * A secret is masked when a file is read, so that a text made of what was read would destroy it.
 * @throws ToolError for bytes with a mask that the file does not have.
 */
export function checkUnmasked(bytes: Buffer, before: Buffer | undefined): void {
  if (!bytes.includes(MASK) || before?.includes(MASK)) return
  throw new ToolError(
    'masked',
    `the text has ${MASK_CHAR.repeat(3)}… where a secret was masked when it was read; it is not written`,
    'Change the file with edit, around the secret, or put the name of a variable in its place.',
  )
}
