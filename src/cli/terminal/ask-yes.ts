import { OffshootError } from '../../core/errors.ts'
import { hasPerson } from '../person-only-commands.ts'
import { writeStderr, type Io } from '../io.ts'
import { dropTyped, readLines } from './terminal-lines.ts'

/** Asks the person at the terminal. Anything but `y` or `yes` is a no, and so is what was typed before the question. */
export async function askYes(question: string, io: Io): Promise<boolean> {
  await dropTyped(io)
  const lines = readLines(io)
  try {
    const answer = await lines.next(`${question} [y/N] `, new AbortController().signal)
    return /^y(es)?$/i.test(answer?.trim() ?? '')
  } finally {
    lines.close()
  }
}

interface Deletion {
  /** Named in the question: `3 conversations`. */
  readonly what: string
  /** The command of the error without a terminal. */
  readonly command: string
  readonly hint: string
}

/** Asks before a deletion and says on stderr when it was declined. @throws OffshootError `usage` without a terminal. */
export async function confirmDeletion({ what, command, hint }: Deletion, io: Io): Promise<boolean> {
  if (!hasPerson(io))
    throw new OffshootError('usage', `nothing was deleted: without a terminal, ${command} needs --yes`, {
      hint,
    })
  const isConfirmed = await askYes(`Delete ${what} for good?`, io)
  if (!isConfirmed) await writeStderr(io, 'offshoot: nothing was deleted\n')
  return isConfirmed
}
